// XQueue: one preemptible queue over one hardware queue. Its parts: a path by which commands get to the driver (held,
// gated or buffered), and a stop in hardware (levels 2 and 3). It also has a keep-alive, and the core that they share.
//
// A command is launched on the caller's own thread when the queue is open, nothing is pending and the window has room.
// The path does the rest.
//
// Any thread may call any function unless its comment says otherwise. Objects come from a pool and stay valid memory
// for the process's life (pool.h), so that a stale pointer or token is refused instead of followed.
#pragma once

#include "base/hot.h"
#include "base/no_copies.h"
#include "queue/alive/device_hold.h"
#include "queue/alive/keep_alive.h"
#include "queue/path/buffered_path.h"
#include "queue/path/gated_path.h"
#include "queue/path/held_path.h"
#include "queue/path/launch_path.h"
#include "queue/queue_core.h"
#include "queue/stop/hardware_stop.h"

namespace xsched::queue {

// The condition that wait_all waits for.
enum class Completion {
    kDone,  // everything is complete
    kTold,  // and the driver, which may do so later, has reported every end
};

class XQueue final : private QueueOwner, base::NoCopies {
public:
    explicit XQueue(uint32_t index) : core_(index, *this) {}

    // --- life. begin: by the pool's user, on an unused object.
    void begin(const Setup& setup, const Placement& placement);
    // Moves the public state to another memory (a server was found, or lost). Hints move along.
    void attach(const Placement& placement);
    // Notes that the vendor's queue goes away. Pending work still runs, then the object goes back to the pool.
    void retire(XqRetire how);
    // Notes that the backend's object outlives this queue (XQueueDestroy), so that the queue's end leaves it alone.
    void leave_device();
    // Forgets the worker and waiting threads, and publishes to `placement`. Call in a forked child.
    void reset_after_fork(const Placement& placement);

    // --- one command (queue_abi.h explains the order of calls)
    XSCHED_HOT void admit(XqTicket& ticket, CommandKind kind) { path_->admit(ticket, kind); }
    // Copies in pieces (queue_abi.h).
    bool copies_in_pieces() { return path_->copies_in_pieces(); }
    bool split_begins() { return path_->split_begins(); }
    void split_over() { path_->split_over(); }
    uint64_t copy_piece(XqCopyKind kind, uint64_t bytes) { return path_->copy_piece(kind, bytes); }
    void admit_piece(XqTicket& ticket, const XqPiece& piece) { path_->admit_piece(ticket, piece); }
    void note_copy(uint64_t bytes) {
        base::Lock lock(core_.mutex);
        core_.note_copy(bytes);
    }
    void admit_callback(XqTicket& ticket) { path_->admit_callback(ticket); }
    XSCHED_HOT void launched(XqTicket& ticket, uint32_t outcome) {
        // Tells the keep-alive of a launched command that is work and not a marker. That comes after the scheduler
        // was told, since it may take a system call.
        const bool followed = (keep_alive_.running() || g_hold.awaits_launch()) && ticket.covers != 0;
        path_->launched(ticket, outcome);
        if (followed) [[unlikely]] {
            if (keep_alive_.running()) keep_alive_.followed();
            g_hold.launched();
        }
    }
    // Calls for commands that wait for the host, for another program or for another device, and so are no work for this
    // device (standing.h). stand_begins returns the stand's id. The other calls also accept the id of a stand that has
    // ended.
    XqStand stand_begins(bool blocks_all);
    void admit_standing(XqTicket& ticket, XqStand stand) { path_->admit_standing(ticket, stand); }
    void admit_unheld(XqTicket& ticket) { path_->admit_unheld(ticket); }
    // Returns whether the end of commands must be noticed at once.
    bool followed();
    void stand_given(XqStand stand);
    void stand_over(XqStand stand);
    bool has_stands();
    bool keeps_order() const { return core_.setup.ops->order == kXqInOrder; }
    // Call if level 3 begins or ends to be unavailable for a time: asks the backend, and publishes the level that the
    // queue has now.
    void level_changed() { stop_.publish_level(); }
    XDevice device() const { return core_.setup.device; }
    void buffer(XqCommand* command) { buffered_.buffer(command); }
    // Runs `command` on this thread as if the worker did: what it enqueues on this queue meanwhile passes.
    XResult launch_owned(XqCommand* command, XqToken token) { return buffered_.launch(command, token); }
    XSCHED_HOT void complete(uint32_t generation, uint32_t covers) { buffered_.complete(generation, covers); }
    XSCHED_HOT uint64_t sync_begin() { return path_->sync_begin(); }
    XSCHED_HOT void sync_end(uint64_t mark) { path_->sync_end(mark); }
    XSCHED_HOT void report_marker(XqAskLater later) { gated_.report_marker(later); }
    XSCHED_HOT void wait_begins() {
        if (gated()) gated_.wait_begins();
    }
    XSCHED_HOT void wait_ended() {
        if (gated()) gated_.wait_ended();
    }
    void drain() { buffered_.drain(); }
    // Makes sure that the completion of everything launched will be reported.
    void report_all() { path_->report_all(); }
    KeepAlive& keep_alive() { return keep_alive_; }

    // --- control
    XResult suspend(int64_t flags);
    XResult resume(int64_t flags);
    XResult wait_all(Completion completion = Completion::kTold);
    XResult set_level(uint32_t level);
    XResult set_launch_config(int64_t threshold, int64_t batch_size);

    // --- the agent's thread Looks at the progress of this queue. Call it for all queues before any queue carries out a
    // directive.
    void look_before_directives();
    // Carries out what the scheduler wrote into the slot.
    void apply_directive();
    // Puts back what the hardware has kept off for too long without a reason. Returns when to look again; 0: no need.
    int64_t watch_interrupt(int64_t now_ns);
    // Applies the level, threshold and batch size that were set with xcli config.
    void apply_wanted_config();
    // Clears the directive of a scheduler that is gone: the queue runs unless the program itself suspended it.
    void forget_directive();
    // If the scheduler has asked how far the device is, reads that from memory and publishes it. Call after the
    // directives of all queues were applied: whether work is only slowed depends on other queues.
    void look_if_asked();

    // --- priority inheritance (inherit_priority.h) Stores the queue's priority, or a higher one that it inherits, in
    // `priority`. Returns false if the queue is gone.
    bool priority(int32_t* priority);
    int32_t own_priority();
    int64_t copy_burst_ns() {
        base::Lock lock(core_.mutex);
        return core_.in_use ? core_.published.copy_burst_ns() : 0;
    }
    bool has_work();
    bool inherit(int32_t priority);
    // Publishes that the queue is about to record, or to wait for, an event that other processes share
    // (shared_events.h).
    void share_event(uint64_t event, XqSharedUse use);
    // Notes that a queue with this priority uses the same hardware queue. If that priority is higher, this queue keeps
    // little in flight from now on (GatedPath). Returns whether some command of this queue already stands behind a
    // gate.
    bool keep_short_for(int32_t priority);
    void end_sharing();
    // Publishes whether level 3 can take this queue off the device without the process's other queues.
    void set_apart(bool apart);

    // --- questions
    bool in_use() const { return core_.in_use.load(std::memory_order_acquire); }
    bool ready();
    bool suspended_by_scheduler();
    int64_t submitted();
    XQueueHandle handle() const { return core_.handle.load(std::memory_order_acquire); }
    HwQueueHandle hwq() const { return hwq_.load(std::memory_order_acquire); }
    uint32_t index() const { return core_.index; }
    uint32_t flags() const { return core_.setup.flags; }
    uint32_t generation() const { return core_.generation.load(std::memory_order_relaxed); }
    ipc::QueueSlot* slot();
    ipc::Header* header();

    // --- the pool's: the object is taken between these two
    void take() { taken_.store(true, std::memory_order_relaxed); }
    bool is_taken() const { return taken_.load(std::memory_order_acquire); }
    void give_back() { taken_.store(false, std::memory_order_release); }
    // Returns whether an object that is not in use may be taken again: no thread works on it, and the device no longer
    // uses the slot's gate and progress.
    bool is_free();

private:
    bool gated() const { return core_.setup.ops != nullptr && core_.setup.ops->gate != nullptr; }
    void choose_path();
    void begin_counts(const Setup& setup, const Placement& placement);
    void placed();
    void publish();
    bool drained() const;
    void pump() override;
    void pump_once();
    void finish_if_drained() override;
    void drop_pending();
    bool begin_or_close(int64_t flags);
    void wait_in_flight();
    template <typename Done>
    void wait_reported(Done done, int64_t patience_ns = base::kForever);

    QueueCore core_;
    LaunchPath* path_ = &buffered_;
    GatedPath gated_{core_};
    BufferedPath buffered_{core_};
    HeldPath held_{core_, buffered_};
    KeepAlive keep_alive_{core_, gated_};
    HardwareStop stop_{core_, gated_};
    std::atomic<HwQueueHandle> hwq_{0};
    std::atomic<bool> taken_{false};
    bool keep_device_ = false;  // retire does not destroy the backend's object
    uint32_t config_serial_ = 0;
    uint32_t ask_seen_ = 0;
};

}  // namespace xsched::queue
