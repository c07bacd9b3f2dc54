#include "cli/trace/trace.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/text.h"
#include "base/time.h"
#include "cli/show.h"
#include "cli/stop_signals.h"
#include "cli/time_text.h"
#include "cli/trace/events.h"
#include "cli/trace/link.h"
#include "cli/trace/timeline.h"
#include "cli/trace/writer.h"

namespace xsched::cli {
namespace {

constexpr int64_t kAskTraceEveryNs = 50 * base::kMillisecond;

// Checks, before the recording, that the file can be written. Keeps an existing file as it is. Returns true if it
// created one.
bool try_file(const std::string& path) {
    const bool was_there = access(path.c_str(), F_OK) == 0;
    FILE* file = fopen(path.c_str(), "ae");
    if (file == nullptr) throw Failure(path + " cannot be written: " + strerror(errno), kNotWritten);
    fclose(file);
    return !was_there;
}

// Follows the server for that time. Returns why it ended early; empty: it did not. The entries until then are still
// written.
std::string follow(TraceLink& link, int64_t lasts_ns) {
    stop_on_signals();
    link.begin();
    try {
        for (int rounds = 0; link.lasts_ns() < lasts_ns && !link.full() && !told_to_stop(); ++rounds) {
            base::sleep_ns(std::min(kAskTraceEveryNs, lasts_ns - link.lasts_ns()));
            link.look(rounds % 20 == 0);
        }
        link.look(true);
    } catch (const NoServer& failure) {
        return failure.what();
    }
    return "";
}

// Returns how the trace differs from what was requested.
std::string shortcomings(const Traced& traced, const TraceLink& link) {
    std::string text;
    if (traced.lost != 0) text += base::counted(traced.lost, "change") + " came too fast and are not in it\n";
    if (traced.left_out != 0)
        text += base::counted(traced.left_out, "change") +
                " of your programs were not kept, since those of other users have their part of the recorder\n";
    if (!traced.complete)
        text += "the server's recorder holds the last " + base::counted(1 << 17, "change") +
                ", and does not go back further\n";
    if (traced.server_was_younger) text += "the server has not been there for longer than that\n";
    if (traced.changes.empty())
        text += "nothing changed: a program is followed while a more or less urgent one has a queue on its device\n";
    if (link.full())
        text += "it ends early: a trace has " + base::counted(TraceLink::kMostChanges, "change") + " at most\n";
    return text;
}

}  // namespace

int trace(const TraceWords& words, bool json) {
    const int64_t time = words.from_recorder ? time_ns(words.last, "to look back") : time_ns(words.time, "to trace");
    TraceLink link;
    const bool made = try_file(words.file);
    try {
        std::string cut;
        if (words.from_recorder)
            link.begin_before(time);
        else
            cut = follow(link, time);
        const Traced& traced = link.traced();
        if (traced.queues.empty() && traced.changes.empty())
            throw Failure("no program was scheduled in that time: start one with 'xcli run -- PROGRAM'", kNobody);
        const TraceEvents events = trace_events(traced);
        const uint64_t bytes = write_trace(words.file, events);
        std::set<uint32_t> programs;
        for (const Line& line : lines_of(traced)) programs.insert(line.client);
        const double seconds = static_cast<double>(link.lasts_ns()) / base::kSecond;
        if (json) {
            print(Json{{"ok", true},
                       {"file", words.file},
                       {"seconds", seconds},
                       {"programs", programs.size()},
                       {"changes", traced.changes.size()},
                       {"lost", traced.lost},
                       {"left_out", traced.left_out},
                       {"complete", traced.complete && cut.empty()},
                       {"bytes", bytes}}
                      .dump(2) +
                  "\n");
            return 0;
        }
        char text[64];
        snprintf(text, sizeof(text), "%.1f s traced: ", seconds);
        print_text(text + base::counted(traced.changes.size(), "change") + " of " +
                   base::counted(programs.size(), "program") + ", " + std::to_string(bytes) + " bytes; open " +
                   words.file + " at https://ui.perfetto.dev\n" + shortcomings(traced, link) +
                   (cut.empty() ? "" : "it ends early: " + cut + "\n"));
        return 0;
    } catch (...) {
        if (made) unlink(words.file.c_str());
        throw;
    }
}

}  // namespace xsched::cli
