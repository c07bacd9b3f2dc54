#include "cli/explain/slow_bursts.h"

#include <algorithm>

namespace xsched::cli {

int64_t SlowBurst::held_ns() const {
    int64_t all = 0;
    for (const HeldFor& one : held) all += one.ns;
    return all;
}

// Ends the hold, and adds the part of it that falls into the present burst.
void SlowBursts::end_hold(Queue& queue, int64_t now_ns) {
    if (queue.suspended_ns == 0 || queue.ready_ns == 0) return;
    const int64_t ns = now_ns - std::max(queue.suspended_ns, queue.ready_ns);
    if (ns <= 0) return;
    for (HeldFor& known : queue.held) {
        if (!known.cause.is_same(queue.cause)) continue;
        known.ns += ns;
        ++known.times;
        return;
    }
    queue.held.push_back({.cause = queue.cause, .ns = ns, .times = 1});
}

void SlowBursts::see(const TracedChange& change) {
    const QueueName name{change.client, change.slot};
    Queue& queue = queues_[name];
    const int64_t now_ns = change.at_ns;
    switch (change.kind) {
        case TracedKind::kReady:
            queue.ready_ns = now_ns;
            queue.held.clear();
            return;
        case TracedKind::kFollowed: queue.followed_ns = now_ns; return;
        case TracedKind::kSuspended:
            queue.suspended_ns = now_ns;
            queue.cause = {.by_client = change.after.cause.by_client, .reason = change.after.cause.reason};
            return;
        case TracedKind::kResumed:
            end_hold(queue, now_ns);
            queue.suspended_ns = 0;
            return;
        case TracedKind::kGone: queues_.erase(name); return;
        case TracedKind::kIdle: break;
        default: return;
    }
    end_hold(queue, now_ns);
    const bool followed = change.after.followed && queue.ready_ns != 0 && queue.ready_ns >= queue.followed_ns;
    if (followed && now_ns - queue.ready_ns > limit_ns_) {
        std::sort(queue.held.begin(), queue.held.end(),
                  [](const auto& one, const auto& other) { return one.ns > other.ns; });
        slow_.push_back(
            {.queue = name, .began_ns = queue.ready_ns, .ns = now_ns - queue.ready_ns, .held = std::move(queue.held)});
    }
    queue.ready_ns = 0;
    queue.held = {};
}

}  // namespace xsched::cli
