#include "cli/trace/timeline.h"

#include <algorithm>

namespace xsched::cli {
namespace {

// Returns the queue's state before its first known change.
TracedState state_before(const TracedChange& first) {
    TracedState state = first.after;
    switch (first.kind) {
        case TracedKind::kReady: state.has_work = false; break;
        case TracedKind::kIdle: state.has_work = true; break;
        case TracedKind::kSuspended: state.suspended = false; break;
        case TracedKind::kResumed:
            state.suspended = true;
            state.cause.reason = kNotKnown;  // the change names the reason that it has from now on
            break;
        case TracedKind::kFollowed: state.followed = false; break;
        case TracedKind::kLeftAlone: state.followed = true; break;
        case TracedKind::kCause: state.cause = {}; break;
        default: break;
    }
    return state;
}

Phase phase_of(const TracedState& state) {
    if (state.suspended && state.has_work) return Phase::kHeld;
    if (!state.followed) return Phase::kLeftAlone;
    return state.has_work ? Phase::kRunning : Phase::kIdle;
}

bool is_burst(Phase phase) { return phase == Phase::kRunning || phase == Phase::kHeld; }

// Makes one queue's line from its changes. Times never go back: a change that was seen late counts from when it was
// seen.
class LineMaker {
public:
    LineMaker(uint32_t client, uint32_t slot, const Traced& traced, std::vector<Line>& lines)
        : client_(client), slot_(slot), traced_(traced), lines_(lines), at_ns_(traced.begin_ns) {}

    void see(const TracedChange& change) {
        const int64_t at_ns = std::clamp(std::max(change.at_ns, at_ns_), traced_.begin_ns, traced_.end_ns);
        if (change.kind == TracedKind::kCame) close(at_ns);
        if (!open_) open(change.kind == TracedKind::kCame ? change.after : state_before(change));
        advance(at_ns);
        note(change, at_ns);
        state_ = change.after;
        if (change.kind == TracedKind::kGone) close(at_ns);
    }
    // Ends the line. `here`: the queue as it is at the end, if it still exists.
    void finish(const TracedQueue* here) {
        if (here != nullptr) {
            if (!open_) open(here->state);
            line_.device = here->device;
            line_.handle = here->handle;
            line_.priority = here->priority;
        }
        close(traced_.end_ns);
    }

private:
    void open(const TracedState& state) {
        line_ = {};
        open_ = true;
        line_.client = client_;
        line_.slot = slot_;
        state_ = state;
        anew_ = true;
    }
    // Extends the present state to that time.
    void advance(int64_t to_ns) {
        if (to_ns <= at_ns_) return;
        const Phase phase = phase_of(state_);
        const TracedCause cause = phase == Phase::kHeld ? state_.cause : TracedCause{};
        if (is_burst(phase) && anew_) {
            line_.bursts.push_back(pending_);
            pending_ = {};
            anew_ = false;
        }
        const auto burst = static_cast<uint32_t>(is_burst(phase) ? line_.bursts.size() : 0);
        if (!is_burst(phase)) anew_ = true;
        std::vector<Stretch>& all = line_.stretches;
        const bool same =
            !all.empty() && all.back().phase == phase && all.back().cause == cause && all.back().burst == burst;
        if (same)
            all.back().to_ns = to_ns;
        else
            all.push_back({.from_ns = at_ns_, .to_ns = to_ns, .phase = phase, .cause = cause, .burst = burst});
        at_ns_ = to_ns;
    }
    void note(const TracedChange& change, int64_t at_ns) {
        line_.priority = change.priority;
        switch (change.kind) {
            case TracedKind::kReady:
                pending_ = {.began_with = change.completed, .begin_seen = true};
                anew_ = true;
                return;
            case TracedKind::kIdle:
                if (!anew_ && !line_.bursts.empty()) {
                    TracedBurst& burst = line_.bursts.back();
                    burst.ended_with = change.completed;
                    burst.command_ns = change.command_ns;
                    burst.end_seen = true;
                }
                return;
            case TracedKind::kCame:
            case TracedKind::kGone: line_.device = change.completed; return;
            case TracedKind::kFollowed:
            case TracedKind::kLeftAlone: return;
            default: break;
        }
        line_.decisions.push_back(change);
        line_.decisions.back().at_ns = at_ns;
    }
    void close(int64_t at_ns) {
        if (open_) {
            advance(at_ns);
            if (!line_.stretches.empty()) lines_.push_back(std::move(line_));
        }
        open_ = false;
        pending_ = {};
        at_ns_ = at_ns;
    }

    uint32_t client_;
    uint32_t slot_;
    const Traced& traced_;
    std::vector<Line>& lines_;
    Line line_;           // valid if open_ is set
    bool open_ = false;
    TracedState state_;
    TracedBurst pending_;  // the burst that begins with the next stretch
    bool anew_ = true;     // the next stretch begins a new burst
    int64_t at_ns_;
};

}  // namespace

std::vector<Line> lines_of(const Traced& traced) {
    using Key = std::pair<uint32_t, uint32_t>;
    std::map<Key, std::vector<const TracedChange*>> changes;
    for (const TracedChange& change : traced.changes) changes[{change.client, change.slot}].push_back(&change);
    for (const auto& [key, queue] : traced.queues) changes[key];
    std::vector<Line> lines;
    for (const auto& [key, seen] : changes) {
        LineMaker maker(key.first, key.second, traced, lines);
        for (const TracedChange* change : seen) maker.see(*change);
        const auto here = traced.queues.find(key);
        maker.finish(here != traced.queues.end() ? &here->second : nullptr);
    }
    return lines;
}

const Stretch* stretch_at(const Line& line, int64_t at_ns) {
    const auto after = std::upper_bound(line.stretches.begin(), line.stretches.end(), at_ns,
                                        [](int64_t ns, const Stretch& stretch) { return ns < stretch.from_ns; });
    if (after == line.stretches.begin()) return nullptr;
    const Stretch& stretch = *(after - 1);
    return at_ns < stretch.to_ns ? &stretch : nullptr;
}

}  // namespace xsched::cli
