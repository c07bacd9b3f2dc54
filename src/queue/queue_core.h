// The parts of one queue share this: its lock, its counts, its slot, its suspension and its waiting threads. The parts
// hold a reference and belong to the same XQueue. `mutex` guards everything that is not atomic; it is never held across
// a call into the driver.
//
// Counts, all only growing: submitted (accepted from the program) >= launched (given to the driver to run) >=
// completed. Pending = submitted - launched; in flight = launched - completed; ready = not idle().
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/hot.h"
#include "base/mutex.h"
#include "queue/path/command_meter.h"
#include "queue/path/window.h"
#include "queue/published_slot.h"
#include "queue/setup.h"
#include "queue/standing.h"
#include "queue/waiters.h"

namespace xsched::queue {

// The functions of the queue that its parts call. The caller must not hold the queue's lock.
class QueueOwner {
public:
    // Releases the commands that the window and the scheduler now allow. Call after any change that may allow more.
    virtual void pump() = 0;
    // Returns a retired queue without work to the pool.
    virtual void finish_if_drained() = 0;

protected:
    ~QueueOwner() = default;
};

// A suspension by the program itself (XQueueSuspend).
struct Suspension {
    bool active = false;
    bool managed = false;  // the program has suspended the queue before, and may again
    bool closing = false;  // it will begin as soon as no driver call is under way (HeldPath::quiet)
    int64_t since_ns = 0;
};

struct QueueCore {
    QueueCore(uint32_t its_index, QueueOwner& its_owner) : index(its_index), owner(its_owner) {}

    // --- mutex held
    // open() returns whether commands may run now. free() returns whether neither the program nor the scheduler has
    // suspended the queue. The scheduler may suspend a queue by slowing it: its commands still run, so it is open and
    // not free.
    bool open() const { return !suspension.active && !published.kept_back(); }
    bool free() const { return !suspension.active && !published.suspended(); }
    uint32_t limit() const { return window.limit(published.window_ns(), meter.command_ns()); }
    uint64_t in_flight() const { return launched - completed; }
    // Returns how many commands in flight can use the device. Standing commands do not count: they are no reason to
    // hold back commands that order does not put behind them.
    uint64_t running() const {
        const uint64_t all = in_flight();
        if (!standing.any() || setup.ops->order == kXqInOrder) return all;
        return all - std::min(all, standing.commands());
    }
    // Returns whether the device has nothing to do for the queue: every command is complete or stands.
    bool idle() const { return completed + standing.commands() == submitted || completed == submitted; }
    // Returns the value for QueueSlot::stands_at with so many submitted.
    uint32_t stand_mark(uint64_t of) const {
        return standing.commands() != 0 ? ipc::stand_mark(of - standing.commands()) : 0;
    }
    // Counts a submitted command. `own`: the stand that begins with it. Returns the stand behind whose wait the
    // command is; 0: it may run.
    XqStand note_submitted(XqStand own = 0) {
        const bool was_idle = idle();
        XqStand kept_by = 0;
        if (standing.any()) [[unlikely]] {
            kept_by = standing.submitted(own);
            published.stands_at(stand_mark(submitted + 1));
        }
        published.submitted(++submitted);
        if (was_idle && kept_by == 0) published.ring_ready(true, base::now_ns());
        return kept_by;
    }
    void note_launched(uint32_t count) {
        if (running() == 0 && count > 0) meter.flight_began(base::now_ns());
        launched += count;
        published.launched(launched);
    }
    void note_copy(uint64_t bytes) { published.copied(++copies, copied_bytes += bytes); }
    XSCHED_HOT void note_completed(uint32_t count);
    // Counts a command as complete because the driver refused it. `kept_by`: the stand that kept it.
    void note_refused(XqStand kept_by);
    void end_stand(XqStand stand);
    // Forgets all stands, because one was dropped or cannot be told from earlier ones: the rest counts as work.
    void forget_stands();
    void ring_if_ready(bool was_idle);
    void begin_suspension();
    void set_level(uint32_t level);
    // Pauses level 3 for the queue. `instead`: the level in effect meanwhile; 0: ends the pause.
    void pause_level(uint32_t instead);
    bool level_pauses() const { return paused_level != 0 && setup.level == kPreemptLevelInterrupt; }
    uint32_t level() const { return level_pauses() ? paused_level : setup.level; }

    // --- mutex not held. Waits until `done`, or until the queue is no longer in use.
    template <typename Done>
    void wait_until(Done done, int64_t patience_ns = base::kForever) {
        waiters.wait(mutex, [&] { return !in_use.load(std::memory_order_acquire) || done(); }, patience_ns);
    }

    std::atomic<bool> in_use{false};
    std::atomic<uint32_t> generation{0};
    base::Mutex mutex;
    bool retired = false;
    bool apart = false;  // level 3 takes this queue off alone, without its process's others
    uint32_t paused_level = 0;  // level in effect while level 3 pauses; 0: it does not
    Suspension suspension;
    PublishedSlot published;
    Standing standing;
    Window window;
    uint64_t submitted = 0;
    uint64_t launched = 0;
    uint64_t completed = 0;
    uint64_t copies = 0;  // of those submitted
    uint64_t copied_bytes = 0;
    CommandMeter meter;
    Waiters waiters;
    uint32_t busy = 0;  // backend calls of ours under way, which delay the end of a retired queue
    Setup setup;
    std::atomic<XQueueHandle> handle{0};
    const uint32_t index;
    QueueOwner& owner;
};

}  // namespace xsched::queue
