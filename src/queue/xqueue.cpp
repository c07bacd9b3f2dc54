// XQueue, its life and its control: begin, attach, retire; suspend, resume, wait, settings, directives.
#include "queue/xqueue.h"

#include "base/clock.h"
#include "base/log.h"
#include "ipc/slot_hints.h"
#include "queue/hw_queue.h"
#include "queue/pool.h"
#include "queue/token.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace xsched::queue {
namespace {

// How long a suspend that synchronizes waits for what other threads' driver calls are about to do.
constexpr int64_t kPatienceNs = 10 * base::kMillisecond;

}  // namespace

void XQueue::begin(const Setup& setup, const Placement& placement) {
    base::Lock lock(mutex_);
    setup_ = setup;
    hwq_.store(setup.hwq, std::memory_order_release);
    placement_ = placement;
    ++generation_;
    retired_ = keep_device_ = api_suspended_ = managed_ = closing_ = bursting_ = false;
    stopped_level_ = timeslice_us_ = 0;
    given_up_ns_ = 0;
    no_effects_ = 0;
    progress_known_ = false;
    config_serial_ = placement.slot->want_serial.load(std::memory_order_relaxed);
    submitted_ = launched_ = completed_ = 0;
    untracked_returned_ = untracked_covered_ = 0;
    bound_ = gates_ = observed_ = linger_prepared_ = false;
    lingering_.store(false, std::memory_order_relaxed);
    touched_ = false;
    gated_at_ns_ = api_suspended_ns_ = 0;
    since_gate_ = 0;
    returned_.store(0, std::memory_order_relaxed);
    enqueued_ = reported_ = written_ = 0;
    owed_.store(false, std::memory_order_relaxed);
    writes_out_ = 0;
    overlapped_ = false;
    stuck_at_ = UINT64_MAX;
    waiting_ = 0;
    since_tracked_ = tokens_out_ = calls_ = 0;
    window_ = Window{};
    window_.configure(setup.threshold, setup.batch_size);
    meter_ = CommandMeter{};
    // pid | generation | index: unique among the processes of one machine, so that xcli can name a queue by it.
    handle_.store((static_cast<uint64_t>(getpid()) << 32) | ((generation_ & 0xfffffu) << 12) | (index_ + 1),
                  std::memory_order_release);
    write_identity();
    in_use_.store(true, std::memory_order_release);
}

// mutex_ held.
void XQueue::write_identity() {
    ipc::QueueSlot& slot = *placement_.slot;
    slot.platform.store(setup_.ops->platform, std::memory_order_relaxed);
    slot.handle.store(handle_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    slot.hwq.store(setup_.vendor, std::memory_order_relaxed);
    slot.device.store(setup_.device, std::memory_order_relaxed);
    slot.levels.store(setup_.ops->levels, std::memory_order_relaxed);
    slot.switch_us.store(setup_.ops->switch_us, std::memory_order_relaxed);
    slot.level.store(setup_.level, std::memory_order_relaxed);
    slot.threshold.store(window_.threshold(), std::memory_order_relaxed);
    slot.batch_size.store(window_.batch_size(), std::memory_order_relaxed);
    ipc::store_hints(slot, setup_);
    for (auto& until : slot.boost_until) until.store(0, std::memory_order_relaxed);
    slot.submitted.store(submitted_, std::memory_order_relaxed);
    slot.launched.store(launched_, std::memory_order_relaxed);
    slot.completed.store(completed_, std::memory_order_relaxed);
    slot.command_ns.store(meter_.command_ns(), std::memory_order_relaxed);
    slot.busy_ns.store(meter_.busy_ns(), std::memory_order_relaxed);
    const int64_t now = base::now_ns();
    slot.ready_since_ns.store(submitted_ != completed_ ? now : 0, std::memory_order_relaxed);
    slot.idle_since_ns.store(now, std::memory_order_relaxed);
    slot.suspended.store(0, std::memory_order_relaxed);
    slot.interrupt.store(0, std::memory_order_relaxed);
    slot.interrupted.store(stopped_level_ == kPreemptLevelInterrupt ? 1 : 0, std::memory_order_relaxed);
    slot.device_timeslice_us.store(0, std::memory_order_relaxed);
    slot.window_ns.store(0, std::memory_order_relaxed);
    slot.progress.store(static_cast<uint32_t>(completed_), std::memory_order_relaxed);
    slot.linger.store(lingers_, std::memory_order_relaxed);
    slot.device_progress.store(0, std::memory_order_relaxed);
    slot.waiting.store(waiting_, std::memory_order_relaxed);
    slot.api_suspended.store(api_suspended_ ? 1 : 0, std::memory_order_relaxed);
    ipc::settle_gate(slot);
    slot.state.store(static_cast<uint32_t>(ipc::SlotState::kUsed), std::memory_order_release);
    std::atomic<uint32_t>& end = placement_.header->slot_end;
    for (uint32_t seen = end.load(); seen <= index_ && !end.compare_exchange_weak(seen, index_ + 1);) {}
    ipc::ring_doorbell(*placement_.header);
}

// Moves the queue's public state from one memory to another (a server was found, or lost). Hints move along.
void XQueue::attach(const Placement& placement) {
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        ipc::QueueSlot& old = *placement_.slot;
        static_cast<base::Hints&>(setup_) = ipc::load_hints(old);
        if (setup_.ops->throttle != 0) {  // the device may wait on the old word: nobody else will open it
            absorb_progress();
            old.suspended.store(0, std::memory_order_seq_cst);
            old.api_suspended.store(0, std::memory_order_seq_cst);
            ipc::settle_gate(old);
            bound_ = observed_ = progress_known_ = false;
        }
        old.state.store(static_cast<uint32_t>(ipc::SlotState::kFree), std::memory_order_release);
        placement_ = placement;
        config_serial_ = placement.slot->want_serial.load(std::memory_order_relaxed);  // counted anew there
        write_identity();
    }
    apply_directive();
}

void XQueue::retire(bool report) {
    {
        base::Lock lock(mutex_);
        if (!in_use() || retired_) return;
        reported_ = submitted_;
    }
    // The last word of the device about this queue: until it comes, nobody else gets the queue's words (words_free).
    if (report && setup_.ops->throttle != 0) write_progress();
    {
        base::Lock lock(mutex_);
        if (!in_use() || retired_) return;
        retired_ = true;
        retired_ns_ = base::now_ns();
        // All has run, and only reports are still to come: the program may have its hardware queue back at once.
        if (keep_device_ && !backlog() && releasing_ == 0 && calls_ == 0) hwq_.store(0, std::memory_order_release);
    }
    finish_if_drained();
}

// The last piece of work of a retired queue gives the object back.
void XQueue::finish_if_drained() {
    const XqDeviceOps* ops = nullptr;
    void* impl = nullptr;
    HwQueueHandle hwq = 0;
    XResult (*restore)(void*) = nullptr;
    {
        base::Lock lock(mutex_);
        if (!in_use() || !retired_ || backlog() || releasing_ != 0 || tokens_out_ != 0 || calls_ != 0) return;
        ops = keep_device_ ? nullptr : setup_.ops;
        impl = setup_.impl;
        hwq = setup_.hwq;
        if (keep_device_ && stopped_level_ == kPreemptLevelInterrupt) restore = setup_.ops->restore;
        in_use_.store(false, std::memory_order_release);
        handle_.store(0, std::memory_order_release);
        ++generation_;
        words_lent_ = bound_ && gates_;
        placement_.slot->suspended.store(0, std::memory_order_seq_cst);
        placement_.slot->api_suspended.store(0, std::memory_order_seq_cst);
        ipc::settle_gate(*placement_.slot);  // the device may still wait on it
        placement_.slot->state.store(static_cast<uint32_t>(ipc::SlotState::kFree), std::memory_order_release);
        ipc::ring_doorbell(*placement_.header);
        wake_waiters();
    }
    if (restore != nullptr) restore(impl);
    if (ops != nullptr) {
        // First, because after destroy the vendor may use the queue's address for another one.
        forget_hw_queue(hwq);
        if (ops->destroy != nullptr) ops->destroy(impl);
    }
    release_to_pool(*this);
}

void XQueue::reset_after_fork(const Placement& placement) {
    placement_ = placement;
    worker_running_ = false;
    waiters_ = 0;
    calls_ = 0;
    returned_.store(submitted_, std::memory_order_relaxed);
    writes_out_ = waiting_ = 0;
    words_lent_ = false;
    closing_ = false;
    if (in_use()) write_identity();
}

XResult XQueue::suspend(int64_t flags) {
    {
        base::Lock lock(mutex_);
        if (!in_use()) return kXSchedErrorNotFound;
        if (api_suspended_) return kXSchedSuccess;
    }
    // On a throttled device what is in flight may stand behind a gate: it completes before that closes, or not at all.
    const int64_t wait_first = setup_.ops->throttle != 0 ? int64_t{7} : int64_t{kQueueSuspendFlagWaitAll};
    if ((flags & wait_first) != 0) wait_all();
    const bool sync = (flags & kQueueSuspendFlagSyncHwQueue) != 0 && setup_.ops->throttle == 0;
    for (;;) {
        base::Lock lock(mutex_);
        if (!in_use()) return kXSchedErrorNotFound;
        const bool idle = submitted_ == completed_;
        if (idle || (flags & kQueueSuspendFlagWaitIdle) == 0 || setup_.ops->throttle != 0) {
            closing_ = sync && !idle && !quiet();
            if (!closing_) begin_suspension();
            break;
        }
        mutex_.unlock();
        wait_all();
        wait_reported([this] { return submitted_ == completed_; });
        mutex_.lock();
    }
    if (sync) wait_in_flight();
    apply_directive();
    XLOG_DEBG("queue 0x%lx suspended by the program", static_cast<unsigned long>(handle()));
    return kXSchedSuccess;
}

// mutex_ held.
void XQueue::begin_suspension() {
    closing_ = false;
    api_suspended_ = managed_ = true;
    api_suspended_ns_ = base::now_ns();
    placement_.slot->api_suspended.store(1, std::memory_order_seq_cst);
    ipc::settle_gate(*placement_.slot);
    ipc::ring_doorbell(*placement_.header);
    wake_waiters();
}

// mutex_ held. Driver calls under way whose commands count as in flight.
uint32_t XQueue::arriving() const {
    uint32_t held = 0;
    for (const HoldGroup* group = groups_; group != nullptr; group = group->next) held += group->users;
    return calls_ - held;
}

// mutex_ held. No command that counts as in flight can arrive in the driver behind one that is held from now on.
bool XQueue::quiet() const {
    if (setup_.ops->hold_create == nullptr) return true;
    const bool opens = groups_ != nullptr && groups_->overtaken != 0 && open();  // the first ones, at once
    return !opens && arriving() == 0;
}

// Until nothing of this suspended queue runs on the device. The suspension waits a while for a moment to begin from
// which all that is in flight completes. If none comes (a call blocks, or threads take turns), commands that a held one
// may have overtaken get that time to complete, and are left: behind the hold they never would.
void XQueue::wait_in_flight() {
    wait_until([this] { return !closing_; }, kPatienceNs);
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        if (closing_) begin_suspension();
    }
    uint32_t arriving_then = 0;
    for (bool arrived = true; arrived;) {
        {
            base::Lock lock(mutex_);
            arriving_then = arriving();
        }
        if (setup_.ops->flush != nullptr) setup_.ops->flush(setup_.impl);  // or it may never run
        arrived = false;
        wait_reported([&] {
            const uint32_t stuck = groups_ != nullptr ? groups_->overtaken : 0;
            if (launched_ - completed_ <= stuck || !api_suspended_) return true;
            return arrived = arriving() < arriving_then;
        });
    }
    wait_reported([this] { return launched_ == completed_ || !api_suspended_; }, kPatienceNs);
}

XResult XQueue::resume(int64_t flags) {
    {
        base::Lock lock(mutex_);
        if (!in_use()) return kXSchedErrorNotFound;
    }
    if ((flags & kQueueResumeFlagDropCommands) != 0) drop_pending();
    {
        base::Lock lock(mutex_);
        api_suspended_ = false;
        api_suspended_ns_ = 0;
        placement_.slot->api_suspended.store(0, std::memory_order_seq_cst);
        ipc::settle_gate(*placement_.slot);
        ipc::ring_doorbell(*placement_.header);
    }
    wake_throttled();
    apply_directive();
    XLOG_DEBG("queue 0x%lx resumed by the program", static_cast<unsigned long>(handle()));
    return kXSchedSuccess;
}

// Everything held back ends unrun; to its waiters it is complete.
void XQueue::drop_pending() {
    HoldGroup* groups = nullptr;
    XqCommand* commands = nullptr;
    {
        base::Lock lock(mutex_);
        groups = std::exchange(groups_, nullptr);
        last_group_ = nullptr;
        for (HoldGroup* group = groups; group != nullptr; group = group->next) {
            note_launched(group->count);
            ++group->users;
            group->released = true;
            ++releasing_;
        }
        commands = std::exchange(first_buffered_, nullptr);
        last_buffered_ = nullptr;
        uint32_t dropped = 0;
        for (XqCommand* command = commands; command != nullptr; command = command->next) ++dropped;
        buffered_ -= dropped;
        note_launched(dropped);
        if (dropped > 0) note_completed(dropped);
    }
    release_groups(groups, true);
    while (commands != nullptr) {
        XqCommand* command = std::exchange(commands, commands->next);
        command->ops->destroy(command);
    }
}

XResult XQueue::wait_all(bool until_told) {
    {
        base::Lock lock(mutex_);
        if (!in_use()) return kXSchedErrorNotFound;
    }
    drain();
    uint64_t until = 0;
    {
        base::Lock lock(mutex_);
        until = submitted_;
    }
    if (setup_.ops->synchronize != nullptr) {
        const uint64_t mark = sync_begin(false);
        const XResult result = setup_.ops->synchronize(setup_.impl);
        if (result == kXSchedSuccess) sync_end(mark);
        if (result != kXSchedSuccess || setup_.ops->throttle != 0 || !until_told) return result;
    }
    // A driver may have done the work, and tell of a command's end on a thread of its own a moment later.
    wait_reported([this, until] { return completed_ >= until; });
    return kXSchedSuccess;
}

void XQueue::drain() {
    wait_until([this] { return buffered_ == 0; });
}

// mutex_ held: one system call, and only if somebody waits.
void XQueue::wake_waiters() {
    if (waiters_ == 0) return;
    changed_.fetch_add(1, std::memory_order_release);
    base::futex_wake_all(changed_);
}

void XQueue::track_tail() {
    XqToken token = 0;
    if (setup_.ops->throttle != 0) return track_throttled_tail();
    {
        base::Lock lock(mutex_);
        if (!in_use() || retired_) return;
        if (untracked_returned_ == untracked_covered_) return;
        const uint64_t behind = std::min<uint64_t>(untracked_returned_ - untracked_covered_, kMostCovered);
        untracked_covered_ += behind;
        ++tokens_out_;
        token = pack_token(index_, generation_, static_cast<uint32_t>(behind));
    }
    if (setup_.ops->mark(setup_.impl, token) != kXSchedSuccess) xq_complete(token);
}

XResult XQueue::set_level(uint32_t level) {
    base::Lock lock(mutex_);
    if (!in_use()) return kXSchedErrorNotFound;
    if (level < kPreemptLevelBlock || level > kPreemptLevelInterrupt) return kXSchedErrorInvalidValue;
    if ((setup_.ops->levels & (1u << level)) == 0) return kXSchedErrorNotSupported;
    setup_.level = level;
    setup_.level_chosen = true;
    placement_.slot->level.store(level, std::memory_order_relaxed);
    return kXSchedSuccess;
}

XResult XQueue::set_launch_config(int64_t threshold, int64_t batch_size) {
    if (threshold < -1 || threshold > UINT16_MAX || batch_size < -1 || batch_size > UINT16_MAX)
        return kXSchedErrorInvalidValue;
    {
        base::Lock lock(mutex_);
        if (!in_use()) return kXSchedErrorNotFound;
        window_.configure(threshold > 0 ? static_cast<uint32_t>(threshold) : window_.threshold(),
                          batch_size > 0 ? static_cast<uint32_t>(batch_size) : window_.batch_size());
        placement_.slot->threshold.store(window_.threshold(), std::memory_order_relaxed);
        placement_.slot->batch_size.store(window_.batch_size(), std::memory_order_relaxed);
    }
    pump();
    return kXSchedSuccess;
}

void XQueue::apply_wanted_config() {
    uint32_t level = 0;
    uint32_t threshold = 0;
    uint32_t batch_size = 0;
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        const ipc::QueueSlot& slot = *placement_.slot;
        const uint32_t serial = slot.want_serial.load(std::memory_order_acquire);
        if (serial == config_serial_) return;
        config_serial_ = serial;
        level = slot.want_level.load(std::memory_order_relaxed);
        threshold = slot.want_threshold.load(std::memory_order_relaxed);
        batch_size = slot.want_batch_size.load(std::memory_order_relaxed);
    }
    if (level != 0 && set_level(level) != kXSchedSuccess)
        XLOG_WARN("queue 0x%lx cannot use preempt level %u: the hardware lacks it",
                  static_cast<unsigned long>(handle()), level);
    set_launch_config(threshold, batch_size);
}

void XQueue::report_if_asked() {
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        const uint32_t ask = placement_.slot->ask.load(std::memory_order_acquire);
        if (ask == ask_seen_) return;
        ask_seen_ = ask;
    }
    track_tail();
}

void XQueue::warm_if_asked() {
    {
        base::Lock lock(mutex_);
        if (!in_use() || setup_.ops->warm == nullptr) return;
        const uint32_t warm = placement_.slot->warm.load(std::memory_order_acquire);
        if (std::exchange(warm_seen_, warm) == warm || retired_) return;
        touched_ = true;
    }
    setup_.ops->warm(setup_.impl);
}

void XQueue::forget_directive() {
    {
        base::Lock lock(mutex_);
        if (!in_use()) return;
        placement_.slot->suspended.store(0, std::memory_order_release);
        placement_.slot->window_ns.store(0, std::memory_order_release);
    }
    apply_directive();
}

void XQueue::leave_device() {
    base::Lock lock(mutex_);
    keep_device_ = true;
}

bool XQueue::ready() {
    base::Lock lock(mutex_);
    if (in_use() && setup_.ops->throttle != 0) absorb_progress();
    return submitted_ != completed_;
}

bool XQueue::suspended_by_scheduler() {
    base::Lock lock(mutex_);
    return in_use() && placement_.slot->suspended.load(std::memory_order_relaxed) != 0;
}

int64_t XQueue::submitted() {
    base::Lock lock(mutex_);
    return static_cast<int64_t>(submitted_);
}

ipc::QueueSlot* XQueue::slot() {
    base::Lock lock(mutex_);
    return placement_.slot;
}

ipc::Header* XQueue::header() {
    base::Lock lock(mutex_);
    return placement_.header;
}

}  // namespace xsched::queue
