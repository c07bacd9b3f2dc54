// XQueue, its life: begin, attach, retire; and what is set free when something completes.
#include "queue/xqueue.h"

#include <unistd.h>

#include <new>
#include <utility>

#include "base/clock.h"
#include "queue/handle.h"
#include "queue/hw_queue.h"
#include "queue/inheritance.h"
#include "queue/shared_events.h"

namespace xsched::queue {
namespace {

// Work that the outermost pump of this thread still has to do. With some drivers, opening a hold completes commands and
// runs their callbacks within the call. If each callback released further commands itself, a long backlog would become
// a deep recursion.
struct Deferred {
    static constexpr unsigned kMost = 8;
    bool pumping = false;
    unsigned count = 0;
    XQueue* queues[kMost];

    bool add(XQueue* queue) {
        for (unsigned i = 0; i < count; ++i)
            if (queues[i] == queue) return true;
        if (count == kMost) return false;
        queues[count++] = queue;
        return true;
    }
};
[[gnu::tls_model("initial-exec")]] thread_local Deferred t_deferred;

}  // namespace

void XQueue::choose_path() {
    path_ = &buffered_;
    if (core_.setup.ops->hold != nullptr) path_ = &held_;
    if (gated()) path_ = &gated_;
}

void XQueue::begin(const Setup& setup, const Placement& placement) {
    begin_counts(setup, placement);
    stop_.publish_level();
}

void XQueue::begin_counts(const Setup& setup, const Placement& placement) {
    base::Lock lock(core_.mutex);
    core_.setup = setup;
    choose_path();
    hwq_.store(setup.hwq, std::memory_order_release);
    core_.published.place(placement);
    ++core_.generation;
    core_.retired = core_.apart = keep_device_ = false;
    core_.suspension = {};
    core_.paused_level = 0;
    core_.submitted = core_.launched = core_.completed = 0;
    core_.copies = core_.copied_bytes = 0;
    core_.window = Window{};
    core_.window.configure(setup.threshold, setup.batch_size);
    core_.meter = CommandMeter{};
    core_.standing.forget();
    gated_.begin();
    held_.forget_split();
    buffered_.begin();
    keep_alive_.begin();
    placed();
    stop_.begin();
    core_.handle.store(pack_handle(static_cast<uint32_t>(getpid()), core_.generation, core_.index),
                       std::memory_order_release);
    publish();
    core_.in_use.store(true, std::memory_order_release);
}

// Starts to count the scheduler's requests again after the slot has moved to other memory. Lock held.
void XQueue::placed() {
    const ipc::QueueSlot& slot = core_.published.slot();
    config_serial_ = slot.want_serial.load(std::memory_order_relaxed);
    ask_seen_ = slot.ask.load(std::memory_order_relaxed);
    keep_alive_.placed();
}

// Writes the queue's whole state to its slot. Lock held.
void XQueue::publish() {
    const SlotState state{.handle = core_.handle.load(std::memory_order_relaxed),
                          .submitted = core_.submitted,
                          .launched = core_.launched,
                          .completed = core_.completed,
                          .copies = core_.copies,
                          .copied_bytes = core_.copied_bytes,
                          .keep_alive = keep_alive_.ended(),
                          .waiting = gated_.waiting(),
                          .inside = gated_.inside(),
                          .unreported = gated() ? core_.completed + 1 : 0,
                          .stands_at = core_.stand_mark(core_.submitted),
                          .level = core_.level(),
                          .level_pauses = core_.level_pauses(),
                          .taken = stop_.taken(),
                          .suspended = core_.suspension.active};
    core_.published.publish(core_.index, core_.setup, state, core_.window, core_.meter);
    core_.published.apart(core_.apart);
}

void XQueue::attach(const Placement& placement) {
    {
        base::Lock lock(core_.mutex);
        if (!in_use()) return;
        core_.published.read_hints(&core_.setup);
        if (gated()) {
            gated_.leave_words();
            stop_.moved();
        }
        core_.published.free();
        core_.published.place(placement);
        placed();
        publish();
    }
    apply_directive();
}

void XQueue::retire(XqRetire how) {
    {
        base::Lock lock(core_.mutex);
        if (!in_use() || core_.retired) return;
        gated_.ask_last();
    }
    // Puts the device's last report for this queue into the stream. Until it has come, no other queue gets the slot's
    // words (words_free).
    if (how == kXqLastReport) gated_.report_last();
    {
        base::Lock lock(core_.mutex);
        if (!in_use() || core_.retired) return;
        core_.retired = true;
        // If all commands have reached the driver and only reports are missing, the wrapped vendor queue is released
        // at once, so that the program may wrap it again.
        const bool all_launched = held_.empty() && buffered_.count() == 0 && buffered_.calls() == 0;
        if (keep_device_ && all_launched && core_.busy == 0) hwq_.store(0, std::memory_order_release);
    }
    // Waits here until the agent's thread has ended a stop or start of this queue: after that the driver is called.
    if (gated()) stop_.settle();
    finish_if_drained();
}

void XQueue::leave_device() {
    base::Lock lock(core_.mutex);
    keep_device_ = true;
}

// Returns whether no command and no thread needs the queue any more. Lock held.
bool XQueue::drained() const { return core_.busy == 0 && held_.empty() && buffered_.drained(); }

// Gives the object of a retired queue back when its last piece of work is over.
void XQueue::finish_if_drained() {
    const XqDeviceOps* ops = nullptr;
    void* impl = nullptr;
    HwQueueHandle hwq = 0;
    XResult (*restore)(void*) = nullptr;
    {
        base::Lock lock(core_.mutex);
        if (!in_use() || !core_.retired || !drained()) return;
        ops = keep_device_ ? nullptr : core_.setup.ops;
        impl = core_.setup.impl;
        hwq = core_.setup.hwq;
        if (keep_device_ && stop_.interrupted()) restore = core_.setup.ops->stop->restore;
        core_.in_use.store(false, std::memory_order_release);
        core_.handle.store(0, std::memory_order_release);
        ++core_.generation;
        gated_.lend_words(base::now_ns());
        core_.published.open_gate();  // the device may still wait on it
        core_.published.free();
        ipc::ring_doorbell(core_.published.header());
        core_.waiters.wake();
    }
    if (restore != nullptr) restore(impl);
    if (ops != nullptr) {
        // Remove the handle before the backend's object is destroyed: afterwards the vendor may use the queue's
        // address again.
        forget_hw_queue(hwq);
        if (ops->destroy != nullptr) ops->destroy(impl);
    }
    give_back();
}

void XQueue::reset_after_fork(const Placement& placement) {
    core_.published.place(placement);
    buffered_.after_fork();
    gated_.after_fork();
    held_.forget_split();
    core_.waiters.forget();
    core_.suspension.closing = false;
    core_.standing.forget();
    if (in_use()) publish();
}

XqStand XQueue::stand_begins(bool blocks_all) {
    auto* stand = new (std::nothrow) Stand;
    if (stand == nullptr) return 0;
    base::Lock lock(core_.mutex);
    const bool keeps_order = blocks_all || core_.setup.ops->order == kXqInOrder;
    const XqStand id = in_use() && !core_.retired ? core_.standing.begin(stand, keeps_order) : 0;
    if (id == 0) delete stand;
    return id;
}

void XQueue::stand_given(XqStand stand) {
    base::Lock lock(core_.mutex);
    core_.standing.given(stand);
}

void XQueue::stand_over(XqStand stand) {
    base::Lock lock(core_.mutex);
    if (in_use()) core_.end_stand(stand);
}

bool XQueue::has_stands() {
    base::Lock lock(core_.mutex);
    return core_.standing.any() || (gated() && gated_.has_stands());
}

void XQueue::pump() {
    if (t_deferred.pumping && t_deferred.add(this)) return;
    const bool outermost = !std::exchange(t_deferred.pumping, true);
    pump_once();
    if (!outermost) return;
    while (t_deferred.count > 0) t_deferred.queues[--t_deferred.count]->pump_once();
    t_deferred.pumping = false;
}

void XQueue::pump_once() {
    HoldGroup* groups = nullptr;
    bool wake_worker = false;
    {
        base::Lock lock(core_.mutex);
        if (core_.setup.ops == nullptr) return;
        groups = held_.pop_releasable();
        if (core_.open()) core_.waiters.wake();  // threads in admit_unheld
        if (core_.suspension.closing && held_.quiet()) core_.begin_suspension();
        wake_worker = buffered_.worker_is_wanted();
    }
    if (groups != nullptr) held_.release(groups, Release::kOpen);
    if (wake_worker) buffered_.wake_worker();
}

bool XQueue::is_free() {
    if (is_taken()) return false;
    base::Lock lock(core_.mutex);
    return gated_.words_free();
}

bool XQueue::priority(int32_t* priority) {
    base::Lock lock(core_.mutex);
    if (!in_use()) return false;
    *priority = inherited_priority(core_.published.slot());
    return true;
}

int32_t XQueue::own_priority() {
    base::Lock lock(core_.mutex);
    return in_use() ? core_.published.slot().priority.load(std::memory_order_relaxed) : PRIORITY_NO_EXECUTE;
}

bool XQueue::has_work() {
    base::Lock lock(core_.mutex);
    return in_use() && core_.submitted != ipc::completed_commands(core_.published.slot());
}

void XQueue::set_apart(bool apart) {
    base::Lock lock(core_.mutex);
    if (!in_use() || core_.apart == apart) return;
    core_.apart = apart;
    core_.published.apart(apart);
    ipc::ring_doorbell(core_.published.header());
}

bool XQueue::keep_short_for(int32_t priority) {
    base::Lock lock(core_.mutex);
    if (!in_use() || !gated() || core_.published.slot().priority.load(std::memory_order_relaxed) >= priority)
        return false;
    gated_.keep_short();
    return gated_.behind_gate();
}

void XQueue::end_sharing() {
    base::Lock lock(core_.mutex);
    if (in_use() && gated()) gated_.end_short();
}

bool XQueue::inherit(int32_t priority) {
    base::Lock lock(core_.mutex);
    return in_use() && queue::inherit(core_.published.slot(), core_.submitted, priority);
}

void XQueue::share_event(uint64_t event, XqSharedUse use) {
    base::Lock lock(core_.mutex);
    if (!in_use()) return;
    ipc::Header& header = core_.published.header();
    // Wake the scheduler for a wait. For a record wake it only the first time: the scheduler reads the records when
    // it learns of a wait.
    const bool first = header.shared_events.changes.load(std::memory_order_relaxed) == 0;
    tell_shared_use(header, core_.published.slot(), {event, core_.submitted, use});
    if (first || use == kXqWaits) ipc::ring_doorbell(header);
}

}  // namespace xsched::queue
