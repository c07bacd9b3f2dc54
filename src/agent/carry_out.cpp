#include "agent/carry_out.h"

#include <algorithm>

#include "base/clock.h"
#include "queue/memory/device_memories.h"
#include "queue/path/directive_sleep.h"

namespace xsched::agent {

using queue::XQueue;

CarriedOut carry_out(ipc::Header& header, uint32_t seen, Errands& errands) {
    CarriedOut done;
    const int64_t now = base::now_ns();
    if (header.carried_out.load(std::memory_order_relaxed) != seen) queue::DirectiveSleep::wake(header);
    for_each_queue([](XQueue& queue) { queue.look_before_directives(); });
    for_each_queue([&](XQueue& queue) {
        queue.apply_directive();
        queue.apply_wanted_config();
        done.due_ns = base::earlier(done.due_ns, queue.watch_interrupt(now));
        done.any_suspended = done.any_suspended || queue.suspended_by_scheduler();
    });
    header.carried_out.store(seen, std::memory_order_release);
    queue::look_at_memory_rules();
    bool asked = queue::has_memory_errand();
    for_each_queue([&](XQueue& queue) {
        queue.look_if_asked();
        asked = asked || queue.keep_alive().asked();
    });
    if (asked) errands.run_soon();
    return done;
}

int64_t CarriedOut::sleep_ns() const {
    const int64_t usual_ns = any_suspended ? kLookWhileSuspendedNs : kLookNs;
    return due_ns == 0 ? usual_ns : std::clamp(due_ns - base::now_ns(), int64_t{1}, usual_ns);
}

}  // namespace xsched::agent
