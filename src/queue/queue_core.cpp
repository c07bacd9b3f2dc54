#include "queue/queue_core.h"

namespace xsched::queue {

void QueueCore::note_completed(uint32_t count) {
    const int64_t now = base::now_ns();
    meter.completed(count, now);
    completed += count;
    published.completed(completed, meter);
    if (idle()) published.ring_ready(false, now);
    waiters.wake();
}

void QueueCore::note_refused(XqStand kept_by) {
    if (kept_by != 0) {
        standing.take_back(kept_by);
        published.stands_at(stand_mark(submitted));
    }
    note_completed(1);
}

void QueueCore::end_stand(XqStand stand) {
    const bool was_idle = idle();
    standing.over(stand);
    ring_if_ready(was_idle);
}

void QueueCore::forget_stands() {
    const bool was_idle = idle();
    standing.forget();
    ring_if_ready(was_idle);
}

void QueueCore::ring_if_ready(bool was_idle) {
    published.stands_at(stand_mark(submitted));
    if (!was_idle || idle()) return;
    const int64_t now = base::now_ns();
    if (in_flight() != 0) meter.flight_began(now);
    published.ring_ready(true, now);
}

void QueueCore::begin_suspension() {
    suspension = {.active = true, .managed = true, .closing = false, .since_ns = base::now_ns()};
    published.suspended_by_program(true);
    waiters.wake();
}

void QueueCore::set_level(uint32_t level) {
    setup.level = level;
    published.level(this->level(), level_pauses());
}

void QueueCore::pause_level(uint32_t instead) {
    paused_level = instead;
    published.level(level(), level_pauses());
}

}  // namespace xsched::queue
