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

void SlowBursts::see(const ipc::RecordedChange& change) {
    const QueueName name{change.client, change.slot};
    Queue& queue = queues_[name];
    const int64_t now_ns = change.at_ns;
    switch (change.kind) {
        case ipc::RecordedKind::kReady:
            queue.ready_ns = now_ns;
            queue.held.clear();
            return;
        case ipc::RecordedKind::kSuspended:
            queue.suspended_ns = now_ns;
            queue.cause = {.by_client = change.by_client, .reason = change.reason};
            return;
        case ipc::RecordedKind::kResumed:
            end_hold(queue, now_ns);
            queue.suspended_ns = 0;
            return;
        case ipc::RecordedKind::kGone: queues_.erase(name); return;
        default: break;
    }
    end_hold(queue, now_ns);
    if (queue.ready_ns != 0 && now_ns - queue.ready_ns > limit_ns_) {
        std::sort(queue.held.begin(), queue.held.end(),
                  [](const auto& one, const auto& other) { return one.ns > other.ns; });
        slow_.push_back(
            {.queue = name, .began_ns = queue.ready_ns, .ns = now_ns - queue.ready_ns, .held = std::move(queue.held)});
    }
    queue.ready_ns = 0;
    queue.held = {};
}

}  // namespace xsched::cli
