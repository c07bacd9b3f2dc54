#include "server/checkpoint.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "server/system_files.h"

namespace xsched::server {
namespace {

using Json = nlohmann::json;

constexpr uint32_t kVersion = 1;
constexpr int64_t kQueuePatienceNs = 5 * base::kSecond;  // how long a reconnected client's queues are awaited: an agent
                                                         // publishes them right after the welcome
constexpr int64_t kLookAgainNs = 5 * base::kMillisecond;
constexpr int kParentField = 4;  // of /proc/PID/stat
constexpr int kStartField = 22;
// Lists about processes, which users can fill. If there is no room for everything, these are left out first, then the
// settings of groups.
constexpr const char* kOfProcesses[] = {"orders", "held", "expected"};
constexpr const char* kOfUsers[] = {kHabits, kPromises, "orders", "held", "expected", kGroupsOfUsers};

uint64_t field_of(pid_t pid, int wanted) {
    if (pid <= 0) return 0;
    const SystemFile file = read_system_file("/proc/" + std::to_string(pid) + "/stat");
    if (!file.in_time) return kUnknownStart;
    const char* at = strrchr(file.text.c_str(), ')');  // the second field, the program's name, may contain any
                                                       // character
    for (int field = 2; at != nullptr && field < wanted; ++field) at = strchr(at + 1, ' ');
    return at != nullptr ? strtoull(at + 1, nullptr, 10) : 0;
}

uint64_t hash_of(const char* text, size_t bytes) {
    uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
    return hash;
}

// Tells which processes of entries still live. Each process is looked up once, since thousands of entries may name the
// same one.
class Living {
public:
    bool operator()(const Json& entry) {
        if (!entry.is_object()) return false;
        const auto [known, first] = starts_.try_emplace(entry.value("pid", 0));
        if (first) known->second = start_of(known->first);
        return is_same_start(known->second, entry.value("start", uint64_t{0}));
    }

private:
    std::unordered_map<pid_t, uint64_t> starts_;
};

std::string text_of_state(const Json& state) { return state.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json entry_of(pid_t pid) { return {{"pid", pid}, {"start", start_of(pid)}}; }

}  // namespace

pid_t parent_of(pid_t pid) {
    const uint64_t parent = field_of(pid, kParentField);
    return parent == kUnknownStart ? 0 : static_cast<pid_t>(parent);
}
uint64_t start_of(pid_t pid) { return field_of(pid, kStartField); }

Checkpoint::Checkpoint(CheckpointArea* area) : area_(area) { load(); }

void Checkpoint::load() {
    if (area_ == nullptr || area_->written == 0) return;
    const CheckpointArea::Copy& copy = area_->copies[area_->written % 2];
    if (copy.version == kVersion && copy.bytes <= sizeof(copy.text) && copy.hash == hash_of(copy.text, copy.bytes))
        state_ = Json::parse(copy.text, copy.text + copy.bytes, nullptr, false);
    if (state_.is_object() && !state_.empty()) return;
    XLOG_WARN("what was set at run time cannot be read: set the policy and suspensions again with xcli");
    state_ = Json::object();
}

void Checkpoint::save() {
    Living is_alive;
    for (const char* name : kOfProcesses) {
        Json living = Json::array();
        for (Json& entry : list(name))
            if (is_alive(entry)) living.push_back(std::move(entry));
        state_[name] = std::move(living);
    }
    if (area_ == nullptr) return;
    const uint32_t next = area_->written + 1;
    CheckpointArea::Copy& copy = area_->copies[next % 2];
    std::string text = text_of_state(state_);
    if (text.size() > sizeof(copy.text)) text = text_that_fits(sizeof(copy.text));
    if (text.empty()) return;
    memcpy(copy.text, text.data(), text.size());
    copy.version = kVersion;
    copy.bytes = static_cast<uint32_t>(text.size());
    copy.hash = hash_of(text.data(), text.size());
    area_->written.store(next, std::memory_order_release);
}

// Returns the state as text of at most `most` bytes. Lists of processes, which users can fill, are left out if needed;
// settings of administrators never are. Returns an empty text if even those are too long: the old copy stays.
std::string Checkpoint::text_that_fits(size_t most) {
    Json kept = state_;
    std::string text;
    for (const char* name : kOfUsers) {
        kept.erase(name);
        text = text_of_state(kept);
        if (text.size() <= most) break;
    }
    if (!std::exchange(told_full_, true))
        XLOG_WARN(
            "too much is suspended, or told of processes that are to come, to remember all of it should this server "
            "have "
            "to be restarted: policy and limits are remembered");
    return text.size() <= most ? text : "";
}

Json& Checkpoint::list(const char* name) {
    Json& entries = state_[name];
    if (!entries.is_array()) entries = Json::array();
    return entries;
}

void Checkpoint::note_policy(const std::string& name) {
    state_["policy"] = name;
    save();
}

void Checkpoint::note(const char* name, Json value) {
    state_[name] = std::move(value);
    save();
}

void Checkpoint::note_suspended(pid_t pid, uint64_t queue, bool suspended) {
    Json kept = Json::array();
    for (const Json& entry : list("held")) {
        const bool same = entry.value("pid", 0) == pid;
        // Resuming a whole process also resumes its queues, so the entries of suspended queues of that process are
        // removed, too.
        if (!same || (entry.value("queue", uint64_t{0}) != queue && (suspended || queue != 0))) kept.push_back(entry);
    }
    if (suspended && pid > 0) {
        Json entry = entry_of(pid);
        entry["queue"] = queue;
        kept.push_back(std::move(entry));
    }
    state_["held"] = std::move(kept);
    save();
}

void Checkpoint::note_memory_away(pid_t pid, bool by_driver) {
    note_suspended(pid, 0, false);
    if (pid <= 0) return;
    Json entry = entry_of(pid);
    entry["queue"] = 0;
    entry["memory"] = true;
    if (by_driver) entry["by_driver"] = true;
    list("held").push_back(std::move(entry));
    save();
}

void Checkpoint::note_expected(pid_t pid) {
    const Json entry = entry_of(pid);
    Json& entries = list("expected");
    if (pid <= 0 || std::find(entries.begin(), entries.end(), entry) != entries.end()) return;
    entries.push_back(entry);
    save();
}

std::vector<pid_t> Checkpoint::expected() const {
    std::vector<pid_t> pids;
    Living is_alive;
    for (const Json& entry : state_.value("expected", Json::array()))
        if (is_alive(entry)) pids.push_back(entry.value("pid", 0));
    return pids;
}

void Checkpoint::client_came(uint32_t client, pid_t pid, int64_t now_ns) {
    if (pid <= 0) return;
    Living is_alive;
    for (const Json& entry : list("held")) {
        if (entry.value("pid", 0) != pid || !is_alive(entry)) continue;
        const bool memory = entry.value("memory", false);
        wanted_.push_back({client, entry.value("queue", uint64_t{0}), memory, entry.value("by_driver", false),
                           now_ns + kQueuePatienceNs});
        due_ns_ = now_ns;
        XLOG_INFO("pid %d was suspended before%s: it stays so until 'xcli resume'", pid,
                  memory ? ", with its memory" : "");
    }
}

void Checkpoint::suspend_again(const std::function<bool(const Wanted&)>& give, int64_t now_ns) {
    std::erase_if(wanted_, [&](const Wanted& one) { return now_ns > one.give_up_ns || give(one); });
    due_ns_ = now_ns + kLookAgainNs;
}

}  // namespace xsched::server
