#include "queue/queue_core.h"

namespace xsched::queue {

void QueueCore::note_completed(uint32_t count) {
    const int64_t now = base::now_ns();
    meter.completed(count, now);
    completed += count;
    published.completed(completed, meter);
    if (submitted == completed) published.ring_ready(false, now);
    waiters.wake();
}

void QueueCore::begin_suspension() {
    suspension = {.active = true, .managed = true, .closing = false, .since_ns = base::now_ns()};
    published.suspended_by_program(true);
    waiters.wake();
}

void QueueCore::set_level(uint32_t level) {
    setup.level = level;
    published.level(level);
}

}  // namespace xsched::queue
