// A trace's part about programs, each as a whole, from the states of its queues.
#include <set>

#include "base/states.h"
#include "cli/trace/maker.h"
#include "cli/trace/names.h"

namespace xsched::cli {
namespace {

// The common state of several queues: running if any runs, otherwise held if any is held, otherwise resting.
struct Together {
    Phase phase = Phase::kLeftAlone;
    TracedCause cause;
    bool there = false;
    bool operator==(const Together&) const = default;
};

int weight(Phase phase) {
    switch (phase) {
        case Phase::kRunning: return 3;
        case Phase::kHeld: return 2;
        case Phase::kIdle: return 1;
        case Phase::kLeftAlone: break;
    }
    return 0;
}

std::string name_of(const Traced& traced, const Together& state) {
    switch (state.phase) {
        case Phase::kRunning: return base::word_of(base::State::kRuns);
        case Phase::kIdle: return base::word_of(base::State::kIdle);
        case Phase::kLeftAlone: return "alone, not followed";
        case Phase::kHeld: break;
    }
    return held_text(traced, state.cause);
}

// The lines of one program's queues, walked through time together.
class Walk {
public:
    explicit Walk(std::vector<const Line*> lines) : lines_(std::move(lines)), at_(lines_.size(), 0) {
        for (const Line* line : lines_)
            for (const Stretch& stretch : line->stretches) times_.insert({stretch.from_ns, stretch.to_ns});
    }
    // Calls tell(from, state) at each change, and once at the end, when no queue is left.
    template <typename Tell>
    void run(Tell tell) {
        Together last;
        for (const int64_t at_ns : times_) {
            const Together now = look(at_ns);
            if (now != last) tell(at_ns, now);
            last = now;
        }
    }

private:
    Together look(int64_t at_ns) {
        Together all;
        for (size_t i = 0; i < lines_.size(); ++i) {
            const std::vector<Stretch>& stretches = lines_[i]->stretches;
            while (at_[i] < stretches.size() && stretches[at_[i]].to_ns <= at_ns) ++at_[i];
            if (at_[i] == stretches.size() || stretches[at_[i]].from_ns > at_ns) continue;
            const Stretch& stretch = stretches[at_[i]];
            if (!all.there || weight(stretch.phase) > weight(all.phase))
                all = {.phase = stretch.phase, .cause = stretch.cause, .there = true};
        }
        return all;
    }

    std::vector<const Line*> lines_;
    std::vector<size_t> at_;
    std::set<int64_t> times_;
};

}  // namespace

void add_programs(TraceMaker& maker) {
    std::map<uint32_t, std::vector<const Line*>> lines;
    for (const Line& line : maker.lines) lines[line.client].push_back(&line);
    for (auto& [client, own] : lines) {
        const auto known = maker.traced.programs.find(client);
        const int32_t pid = known != maker.traced.programs.end() ? known->second.pid : 0;
        // Viewers take process 0 for the idle process, so a program without a process number gets a plain track.
        const uint64_t track = maker.program_tracks[client] =
            pid > 0 ? maker.track(0, known->second.name, TraceTrack::Kind::kProcess, pid)
                    : maker.track(0, program_name(maker.traced, client));
        bool open = false;
        Walk(std::move(own)).run([&](int64_t at_ns, const Together& state) {
            if (open) maker.end(track, at_ns);
            open = state.there;
            if (open) maker.begin(track, at_ns, name_of(maker.traced, state));
        });
    }
}

}  // namespace xsched::cli
