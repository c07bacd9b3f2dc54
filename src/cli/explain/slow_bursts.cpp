#include "cli/explain/slow_bursts.h"

#include <algorithm>

namespace xsched::cli {

int64_t SlowBurst::held_ns() const {
    int64_t all = 0;
    for (const Held& one : held) all += one.ns;
    return all;
}

// Ends the hold, and adds the part of it that falls into the present burst.
void SlowBursts::end_hold(Queue& queue, int64_t now_ns) {
    if (queue.suspended_ns == 0 || queue.ready_ns == 0) return;
    const int64_t ns = now_ns - std::max(queue.suspended_ns, queue.ready_ns);
    if (ns <= 0) return;
    for (SlowBurst::Held& known : queue.held) {
        if (known.by_client != queue.by_client || (known.by_client == 0 && known.reason != queue.reason)) continue;
        known.ns += ns;
        ++known.times;
        return;
    }
    queue.held.push_back({.by_client = queue.by_client, .reason = queue.reason, .ns = ns, .times = 1});
}

void SlowBursts::see(const ipc::RecordedChange& change) {
    Queue& queue = queues_[{change.client, change.slot}];
    const int64_t now_ns = change.at_ns;
    switch (change.kind) {
        case ipc::RecordedKind::kReady:
            queue.ready_ns = now_ns;
            queue.held.clear();
            return;
        case ipc::RecordedKind::kSuspended:
            queue.suspended_ns = now_ns;
            queue.by_client = change.by_client;
            queue.reason = change.reason;
            return;
        case ipc::RecordedKind::kResumed:
            end_hold(queue, now_ns);
            queue.suspended_ns = 0;
            return;
        case ipc::RecordedKind::kGone: queues_.erase({change.client, change.slot}); return;
        default: break;
    }
    end_hold(queue, now_ns);
    if (queue.ready_ns != 0 && now_ns - queue.ready_ns > limit_ns_) {
        std::sort(queue.held.begin(), queue.held.end(),
                  [](const auto& one, const auto& other) { return one.ns > other.ns; });
        slow_.push_back({.client = change.client,
                         .slot = change.slot,
                         .began_ns = queue.ready_ns,
                         .ns = now_ns - queue.ready_ns,
                         .held = std::move(queue.held)});
    }
    queue.ready_ns = 0;
    queue.held = {};
}

}  // namespace xsched::cli
