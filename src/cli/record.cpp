#include "cli/record.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "base/text.h"
#include "base/time.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/stop_signals.h"
#include "cli/time_text.h"
#include "console/fold.h"
#include "ipc/recording.h"

namespace xsched::cli {
namespace {

constexpr int64_t kAskEveryNs = 50 * base::kMillisecond;
class Recorder {
public:
    void begin() {
        const Json answer = link_.ask({{"cmd", "record"}, {"queues", true}});
        began_ns_ = answer.at("now_ns");
        next_ = answer.at("next");
        recording_.policy = answer.value("policy", "");
        note_queues(answer);
    }
    void ask(bool queues) {
        for (bool more = true; more && recording_.changes.size() < ipc::kMostRecorded;) {
            const Json answer = link_.ask({{"cmd", "record"}, {"from", next_}, {"queues", queues}});
            next_ = answer.at("next");
            more = answer.at("more");
            recording_.lost += answer.at("lost").get<uint64_t>();
            recording_.lasts_ns = answer.at("now_ns").get<int64_t>() - began_ns_;
            for (const Json& row : answer.at("entries")) note_change(row);
            if (queues) note_queues(answer);
        }
    }
    int64_t lasts_ns() const { return recording_.lasts_ns; }
    bool saw_nothing() const { return recording_.changes.empty(); }
    bool full() const { return recording_.changes.size() >= ipc::kMostRecorded; }
    // Ends the recording. Adds a last entry for each queue that still has work: a queue that was never seen to become
    // idle has no other one that tells the length of its commands. A queue that was not followed gets none, since its
    // rests were not seen.
    const ipc::Recording& finish() {
        const Json answer = link_.ask({{"cmd", "record"}, {"from", next_}, {"queues", true}});
        std::set<Key> seen = followed_;
        for (const ipc::RecordedChange& change : recording_.changes) seen.emplace(change.client, change.slot);
        for (const Json& queue : answer.at("queues")) {
            if (!queue.at("ready").get<bool>() || full()) continue;
            if (seen.contains({queue.at("client"), queue.at("slot")}))
                recording_.changes.push_back(still_works(queue));
            else
                not_followed_.insert(queue.at("program").get<std::string>() + " (pid " +
                                     std::to_string(queue.at("pid").get<int64_t>()) + ")");
        }
        for (const auto& [key, queue] : queues_) recording_.queues.push_back(queue);
        return recording_;
    }
    // Returns the programs that had work at the end, and of which no change is recorded.
    const std::set<std::string>& not_followed() const { return not_followed_; }

private:
    ipc::RecordedChange still_works(const Json& queue) const {
        return {.at_ns = recording_.lasts_ns,
                .kind = ipc::RecordedKind::kReady,
                .client = queue.at("client"),
                .slot = queue.at("slot"),
                .completed = queue.value("completed", uint64_t{0}),
                .command_ns = queue.value("command_ns", int64_t{0})};
    }
    void note_change(const Json& row) {
        recording_.changes.push_back({.at_ns = row.at(0).get<int64_t>() - began_ns_,
                                      .kind = static_cast<ipc::RecordedKind>(row.at(1).get<uint32_t>()),
                                      .client = row.at(2),
                                      .slot = row.at(3),
                                      .reason = row.at(4),
                                      .by_client = row.at(5),
                                      .completed = row.at(6),
                                      .command_ns = row.at(7)});
    }
    void note_queues(const Json& answer) {
        for (const Json& queue : answer.at("queues")) {
            const ipc::RecordedQueue seen{.client = queue.at("client"),
                                          .slot = queue.at("slot"),
                                          .pid = queue.at("pid"),
                                          .program = queue.at("program"),
                                          .device = queue.at("device"),
                                          .level = queue.at("level"),
                                          .priority = queue.at("priority")};
            const Key key{seen.client, seen.slot};
            queues_[key] = seen;
            if (queue.value("followed", true)) followed_.insert(key);
        }
    }

    using Key = std::pair<uint32_t, uint32_t>;  // client, slot

    ServerLink link_;
    int64_t began_ns_ = 0;
    uint64_t next_ = 0;
    std::map<Key, ipc::RecordedQueue> queues_;
    std::set<Key> followed_;
    std::set<std::string> not_followed_;
    ipc::Recording recording_;
};

void write_file(const std::string& path, const std::string& bytes) {
    FILE* file = fopen(path.c_str(), "wb");
    const bool written = file != nullptr && fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    const int error = errno;
    const bool closed = file == nullptr || fclose(file) == 0;
    if (!written || !closed)
        throw Failure(path + " cannot be written: " + strerror(written ? errno : error), kNotWritten);
}

}  // namespace

int record(const RecordWords& words, bool json) {
    const int64_t lasts_ns = time_ns(words.time, "to record for");
    Recorder recorder;
    stop_on_signals();
    recorder.begin();
    for (int rounds = 0; recorder.lasts_ns() < lasts_ns && !recorder.full() && !told_to_stop(); ++rounds) {
        base::sleep_ns(std::min(kAskEveryNs, lasts_ns - recorder.lasts_ns()));
        recorder.ask(rounds % 20 == 0);
    }
    recorder.ask(true);
    const bool saw_nothing = recorder.saw_nothing();
    const ipc::Recording& recording = recorder.finish();
    if (recording.queues.empty())
        throw Failure("no program was scheduled in that time: start one with 'xcli run -- PROGRAM'", kNobody);
    const std::string bytes = ipc::write_recording(recording);
    write_file(words.file, bytes);
    if (saw_nothing && recorder.not_followed().empty())
        console::print_error(
            "xcli: nothing changed in that time: a program that is alone on its device is not followed, except "
            "under policy OBSERVE (xcli policy OBSERVE)\n");
    for (const std::string& program : recorder.not_followed())
        console::print_error(
            "xcli: %s was not followed, since it had no rival: its bursts are not recorded. Under policy OBSERVE "
            "all programs are followed (xcli policy OBSERVE)\n",
            program.c_str());
    const double seconds = static_cast<double>(recording.lasts_ns) / base::kSecond;
    if (json) {
        print(Json{{"ok", true},
                   {"file", words.file},
                   {"seconds", seconds},
                   {"queues", recording.queues.size()},
                   {"changes", recording.changes.size()},
                   {"lost", recording.lost},
                   {"bytes", bytes.size()}}
                  .dump(2) +
              "\n");
        return 0;
    }
    char length[32];
    snprintf(length, sizeof(length), "%.1f s recorded: ", seconds);
    print_text(length + base::counted(recording.changes.size(), "change") + " of " +
               base::counted(recording.queues.size(), "queue") + ", " + std::to_string(recording.lost) + " lost, " +
               base::counted(bytes.size(), "byte") + "\n");
    return 0;
}

}  // namespace xsched::cli
