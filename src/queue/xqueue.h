// XQueue: one preemptible queue over one hardware queue.
//
// Counts, all only growing: submitted (accepted from the program) >= launched (given to the driver to run) >=
// completed. Pending = submitted - launched; in flight = launched - completed; ready = submitted != completed.
// A command is launched on the caller's own thread when the queue is open, nothing is pending and the window has
// room. Otherwise it goes to the driver with a hold, or, where the hardware has no holds, into the buffer, from which
// a worker launches it later.
//
// Any thread may call any function unless its comment says otherwise. mutex_ guards everything that is not atomic; it
// is never held across a call into the driver. Objects come from a pool and stay valid memory for the process's life
// (pool.h), so that a stale pointer or token is refused instead of followed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "base/futex.h"
#include "base/hints.h"
#include "base/hot.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "ipc/layout.h"
#include "queue/command_meter.h"
#include "queue/queue_abi.h"
#include "queue/window.h"

namespace xsched::queue {

// Commands that share one hold: released together. Owned by the queue until popped, then by its last user.
struct HoldGroup {
    HoldGroup* next = nullptr;
    void* hold = nullptr;
    uint32_t count = 0;   // commands waiting for it
    uint32_t users = 0;   // driver calls that still may use the hold
    bool released = false;   // opened or dropped
    // Driver calls under way when it was made: their commands may arrive behind this hold, and wait for it in the
    // driver though they count as in flight, or will before it opens.
    uint32_t overtaken = 0;
};

struct Setup : base::Hints {
    const XqDeviceOps* ops = nullptr;
    void* impl = nullptr;
    HwQueueHandle hwq = 0;
    uint64_t vendor = 0;
    XDevice device = 0;
    uint32_t level = 0;  // XPreemptLevel, already checked against ops->levels
    bool level_chosen = false;  // somebody asked for this level
    uint32_t flags = 0;  // XQueueCreateFlag
    uint32_t threshold = 0;
    uint32_t batch_size = 0;
};

// Where the queue's state is published: a slot of the memory shared with the scheduler, or of private memory.
struct Placement {
    ipc::Header* header = nullptr;
    ipc::QueueSlot* slot = nullptr;
};

// The local scheduler decides on the thread whose queue became ready or idle, before its own thread has woken: called
// with that queue's lock held, so it touches the shared memory alone. Null: nobody does.
extern std::atomic<void (*)()> g_local_decide;

class XQueue {
public:
    explicit XQueue(uint32_t index) : index_(index) {}

    // --- life. begin: by the pool, on an unused object.
    void begin(const Setup& setup, const Placement& placement);
    void attach(const Placement& placement);
    // The vendor's queue goes away. What is pending still runs, then the object goes back to the pool.
    // `report`: its last command's end may still be asked for.
    void retire(bool report);
    // In fork's child: forgets the worker and who waits, publishes to `placement`.
    void reset_after_fork(const Placement& placement);

    // --- one command (queue_abi.h explains the order of calls)
    // `point`: the command takes no time of the device (throttled devices).
    XSCHED_HOT void admit(XqTicket& ticket, bool may_hold, bool point = false);
    XSCHED_HOT void launched(XqTicket& ticket, bool succeeded, bool report_later = false);
    void buffer(XqTicket& ticket, XqCommand* command);
    XSCHED_HOT void complete(uint32_t generation, uint32_t covers);
    // `inside`: this thread is between admit and launched of a command that the synchronize includes.
    XSCHED_HOT uint64_t sync_begin(bool inside);
    XSCHED_HOT void sync_end(uint64_t mark);
    XSCHED_HOT void point(bool can_ask);
    // xqueue_linger.cpp; as the functions of that name in queue_abi.h.
    XSCHED_HOT bool linger(bool waits);
    XSCHED_HOT void leave();
    bool only_ours();
    void drain();
    // What this queue launches next waits for work of `producer` (xqueue_depend.cpp).
    void depend(XQueue& producer);

    // --- control
    XResult suspend(int64_t flags);
    XResult resume(int64_t flags);
    // `until_told`: also until the driver, which may do so later, has told of every end.
    XResult wait_all(bool until_told = true);
    XResult set_level(uint32_t level);
    XResult set_launch_config(int64_t threshold, int64_t batch_size);
    // Agent thread: carry out what the scheduler wrote into the slot.
    void apply_directive();
    // Agent thread, now and then: what the hardware keeps off for too long without a reason is put back.
    void watch_interrupt(int64_t now_ns);
    // As xq_driver_call.
    void driver_call(bool begins);
    // The agent's: if a burst is about to begin, something for the device to do, so that it has switched to us by then.
    void warm_if_asked();
    // Agent thread: as Header::linger_wanted says.
    void prepare_linger_if_asked();
    // Agent thread: level, threshold and batch size as somebody set them with xcli config.
    void apply_wanted_config();
    // The scheduler that suspended it is gone: runs unless the program itself suspended it.
    void forget_directive();
    // The backend's object outlives this queue (XQueueDestroy): only the queue goes.
    void leave_device();
    // Agent thread: the scheduler wants to know how far the device is.
    void report_if_asked();
    // Makes sure that the completion of everything launched will be reported.
    void track_tail();

    // --- questions
    // Pool, of an object not in use: the device is through with the slot's gate and progress.
    bool words_free();
    bool in_use() const { return in_use_.load(std::memory_order_acquire); }
    bool ready();
    bool suspended_by_scheduler();
    int64_t submitted();
    XQueueHandle handle() const { return handle_.load(std::memory_order_acquire); }
    HwQueueHandle hwq() const { return hwq_.load(std::memory_order_acquire); }
    uint32_t index() const { return index_; }
    uint32_t levels() const { return setup_.ops->levels; }
    uint32_t flags() const { return setup_.flags; }
    ipc::QueueSlot* slot();
    ipc::Header* header();
    uint32_t generation() const { return generation_.load(std::memory_order_relaxed); }

    // Runs `command` on this thread as if the worker did: what it enqueues on this queue meanwhile passes.
    XResult launch_owned(XqCommand* command, XqToken token);

private:
    friend void* worker_body(void* queue);
    int32_t urgency() const;
    bool boost(int32_t urgent);
    XSCHED_HOT bool open() const;
    bool room(bool holds) const;
    uint32_t limit() const;
    bool backlog() const { return groups_ != nullptr || buffered_ != 0; }
    XSCHED_HOT XqToken make_token(XqTicket& ticket);
    XSCHED_HOT void launch_here(XqTicket& ticket);
    XSCHED_HOT void note_submitted();
    XSCHED_HOT void note_launched(uint32_t count);
    XSCHED_HOT void note_completed(uint32_t count);
    XSCHED_HOT void publish_ready(int64_t now_ns);
    HoldGroup* joinable();
    HoldGroup* make_group();
    void destroy_group(HoldGroup* group);
    HoldGroup* pop_releasable();
    void release_groups(HoldGroup* groups, bool drop);
    void pump();
    void pump_once();
    void drop_pending();
    void begin_suspension();
    uint32_t arriving() const;
    bool quiet() const;
    void wait_in_flight();
    // Throttled devices (xqueue_throttle.cpp).
    struct Throttle {
        bool gate = false;    // a gate goes before this command
        bool report = false;  // and its progress is written after it
        bool wait = false;    // not now
    };
    struct Wait {  // of one caller, for room
        int64_t began_ns = 0;  // 0: it has not waited
        int64_t seen_ns = 0;
        uint64_t completed = 0;    // when last looked at
        int64_t progress_ns = 0;   // when that last changed
        int64_t stuck_ns = 0;      // the queue was open, and nothing completed
        int64_t suspended_ns = 0;  // by the program
    };
    XSCHED_HOT void admit_throttled(XqTicket& ticket, bool point);
    void admit_followed(XqTicket& ticket, bool point);
    XSCHED_HOT bool followed() const;
    XSCHED_HOT void count(XqTicket& ticket, bool point);
    void count_throttled(const Throttle& plan, XqTicket& ticket, bool point);
    XSCHED_HOT void launched_throttled(const XqTicket& ticket, bool report_later);
    uint32_t report_stride(uint32_t most, int64_t mean_ns) const;
    Throttle decide(bool retry, bool point);
    bool gate_due(bool closed);
    int64_t gate_every_ns() const;
    int64_t run_on_ns() const;
    void announce_waiting(Wait& wait);
    bool out_of_patience(Wait& wait, bool closed);
    void wait_for_room(const Wait& wait, bool closed);
    void bind_words();
    XSCHED_HOT uint64_t enqueued();
    void write_progress();
    void absorb_progress();
    void track_throttled_tail();
    void wake_throttled();
    XSCHED_HOT void sync_throttled(uint64_t mark);

    bool worker_may_launch();
    void run_worker();
    bool start_worker();
    // Levels in hardware (xqueue_levels.cpp).
    struct Stop {
        uint32_t level = 0;      // 0: it runs
        bool keeps_off = false;  // as XqDeviceOps.interrupt's
    };
    Stop wanted_stop() const;
    void apply_stop(const Stop& wanted);
    void start_hardware();
    int64_t opened_ns(uint32_t level) const;
    int64_t closed_ns() const;
    bool stands_too_long(int64_t now_ns, int64_t limit_ns);
    void stop_hardware(const Stop& wanted);
    void lower_level();
    void note_effect();
    void apply_timeslice(uint32_t us);
    void finish_if_drained();
    void write_identity();
    void wake_waiters();
    // Waits without a lock held, at most `patience_ns`; `condition` is evaluated under mutex_ after every completion.
    template <typename Condition>
    void wait_until(Condition condition, int64_t patience_ns = base::kForever) {
        const int64_t until = patience_ns != base::kForever ? base::now_ns() + patience_ns : 0;
        mutex_.lock();
        ++waiters_;
        while (in_use() && !condition() && patience_ns != 0) {
            const uint32_t seen = changed_.load(std::memory_order_relaxed);
            mutex_.unlock();
            base::futex_wait(changed_, seen, patience_ns);
            if (patience_ns != base::kForever) patience_ns = std::max<int64_t>(until - base::now_ns(), 0);
            mutex_.lock();
        }
        --waiters_;
        mutex_.unlock();
    }
    // The same, also for commands that report themselves only when asked (track_tail).
    template <typename Condition>
    void wait_reported(Condition condition, int64_t patience_ns = base::kForever) {
        bool ask = true;
        while (ask) {
            track_tail();
            ask = false;
            wait_until([&] { return condition() || (ask = !retired_ && untracked_returned_ != untracked_covered_); },
                       patience_ns);
        }
    }

    const uint32_t index_;
    std::atomic<bool> in_use_{false};
    std::atomic<XQueueHandle> handle_{0};
    std::atomic<HwQueueHandle> hwq_{0};
    base::Mutex mutex_;
    Setup setup_;
    Placement placement_;
    std::atomic<uint32_t> generation_{0};
    bool retired_ = false;
    bool keep_device_ = false;  // retire does not destroy the backend's object
    uint32_t config_serial_ = 0;
    uint32_t ask_seen_ = 0;
    uint32_t warm_seen_ = 0;
    bool api_suspended_ = false;
    bool managed_ = false;  // the program has suspended it once, and may do so again
    bool closing_ = false;  // a suspend waits for a moment without a driver call under way to begin (quiet)

    Window window_;
    CommandMeter meter_;
    WorkShare share_;  // throttled devices
    uint64_t submitted_ = 0;
    uint64_t launched_ = 0;
    uint64_t completed_ = 0;
    uint64_t untracked_returned_ = 0;  // launched without a token, driver call returned
    uint64_t untracked_covered_ = 0;   // of those, stood for by a later token or a synchronize
    uint32_t since_tracked_ = 0;
    uint32_t tokens_out_ = 0;
    uint32_t calls_ = 0;  // admitted, and the driver call has not returned

    bool bound_ = false;        // the backend knows the words of this placement
    bool gates_ = false;        // and can wait on them
    bool observed_ = false;     // completion has been followed since the queue was last idle
    bool words_lent_ = false;   // to the stream of the queue that was here before
    int64_t retired_ns_ = 0;
    int64_t gated_at_ns_ = 0;   // the suspension (its time) that the last gate belongs to
    int64_t api_suspended_ns_ = 0;
    uint32_t since_gate_ = 0;   // pieces of work launched after the last gate
    std::atomic<uint64_t> returned_{0};  // driver calls that have returned; the rest of submitted_ is on its way
    uint64_t enqueued_ = 0;  // see enqueued()
    uint64_t reported_ = 0;  // the last progress asked for
    uint64_t written_ = 0;   // and the last one put behind the commands
    std::atomic<bool> owed_{false};  // reported_ could not be written yet
    uint32_t writes_out_ = 0;
    bool overlapped_ = false;  // two of these at once
    uint32_t waiting_ = 0;            // callers in admit, as published
    uint32_t lingers_ = 0;            // the number of the last one
    std::atomic<bool> lingering_{false};
    bool linger_prepared_ = false;    // or refused, with the present words
    bool touched_ = false;            // something of ours may be in the stream, besides the program's commands
    uint64_t stuck_at_ = UINT64_MAX;  // completed_ when a caller ran out of patience

    HoldGroup* groups_ = nullptr;  // oldest first
    HoldGroup* last_group_ = nullptr;
    uint32_t releasing_ = 0;  // groups popped whose hold is being opened, and directives being applied

    XqCommand* first_buffered_ = nullptr;
    XqCommand* last_buffered_ = nullptr;
    uint32_t buffered_ = 0;  // admitted for the buffer and not launched yet
    bool bursting_ = false;  // the worker refills the window up to its limit
    base::Thread worker_;
    bool worker_running_ = false;
    base::FutexWord work_{0};

    base::FutexWord changed_{0};  // with waiters_: threads in wait_until
    uint32_t waiters_ = 0;

    // Serialises changes of the hardware's state (levels 2 and 3); taken before mutex_, never on the launch path.
    base::Mutex transition_;
    uint32_t stopped_level_ = 0;    // 0: it runs; written under mutex_ as well
    bool kept_off_ = false;         // at level 3, and no more than that
    uint32_t timeslice_us_ = 0;     // as last asked of the backend
    int64_t stopped_ns_ = 0;        // since when it stands, or what ran is off the device,
    bool progress_known_ = false;
    uint32_t progress_then_ = 0;    // how far the device was,
    uint32_t no_effects_ = 0;       // interrupts in a row after which it went further
    uint32_t outside_then_ = 0;     // and Header::outside_changes
    int64_t given_up_ns_ = 0;       // the directive (its time) that stood too long without a reason
};

}  // namespace xsched::queue
