// XQueue, preempt levels in hardware: what a directive asks of the backend beyond gates and holds, and what keeps
// anything from standing longer than somebody has a reason for it.
#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"
#include "queue/xqueue.h"

#include <cerrno>
#include <csignal>

namespace xsched::queue {
namespace {

// So often a queue must have gone on while it should not have: what the device wrote may be late for once.
constexpr uint32_t kNoEffects = 3;

// A process that can be signalled or is another user's; 0 is nobody.
bool lives(int32_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH); }

}  // namespace

// mutex_ held. How to stand now, if not open. On throttled devices the gate does level 2 by itself, and what runs is
// taken off only if the scheduler says that it is worth it, or the program chose level 3 and suspends its queue.
XQueue::Stop XQueue::wanted_stop() const {
    if (open()) return {};
    if (setup_.level != kPreemptLevelInterrupt || setup_.ops->throttle == 0) return {setup_.level};
    if (api_suspended_ && setup_.level_chosen) return {kPreemptLevelInterrupt};
    const ipc::QueueSlot& slot = *placement_.slot;
    const bool suspended = slot.suspended.load(std::memory_order_acquire) != 0 &&
                           slot.directed_ns.load(std::memory_order_relaxed) != given_up_ns_;
    const auto interrupt = static_cast<ipc::Interrupt>(slot.interrupt.load(std::memory_order_acquire));
    if (!suspended || interrupt == ipc::Interrupt::kNone) return {kPreemptLevelDeactivate};
    return {kPreemptLevelInterrupt, interrupt == ipc::Interrupt::kKeptOff};
}

// Brings the hardware in line with who suspends the queue now, and sets free what may go.
void XQueue::apply_directive() {
    Stop wanted;
    bool retired = false;
    {
        base::Lock transition(transition_);
        uint32_t timeslice_us = 0;
        {
            base::Lock lock(mutex_);
            if (!in_use()) return;
            wanted = wanted_stop();
            timeslice_us = placement_.slot->device_timeslice_us.load(std::memory_order_relaxed);
            ++releasing_;  // what goes on may be the last work of a retired queue, whose backend goes with it
        }
        apply_stop(wanted);
        apply_timeslice(timeslice_us);
        base::Lock lock(mutex_);
        --releasing_;
        retired = retired_;
    }
    if (wanted.level == 0) pump();
    if (retired) finish_if_drained();
}

// transition_ held, so that a stop and a start do not cross; mutex_ is not. One that stands already keeps the level at
// which it does, unless that is raised to an interrupt, or what was only kept off is to be taken off.
void XQueue::apply_stop(const Stop& wanted) {
    if (wanted.level == kPreemptLevelInterrupt && stopped_level_ == wanted.level) {
        if (kept_off_ && !wanted.keeps_off) stop_hardware(wanted);
        return;
    }
    const bool raise = wanted.level == kPreemptLevelInterrupt && setup_.ops->throttle != 0;
    if (wanted.level == stopped_level_ || (wanted.level != 0 && stopped_level_ != 0 && !raise)) return;
    if (stopped_level_ != 0) start_hardware();
    if (wanted.level != 0) stop_hardware(wanted);
}

// transition_ held.
void XQueue::start_hardware() {
    const XqDeviceOps& ops = *setup_.ops;
    const uint32_t level = stopped_level_;
    if (level == kPreemptLevelInterrupt) note_effect();
    XResult (*start)(void*) = level == kPreemptLevelInterrupt    ? ops.restore
                              : level == kPreemptLevelDeactivate ? ops.reactivate
                                                                 : nullptr;
    const XResult result = start != nullptr ? start(setup_.impl) : kXSchedSuccess;
    if (result != kXSchedSuccess)
        XLOG_WARN("queue 0x%lx: level %u could not restart it", static_cast<unsigned long>(handle()), level);
    base::Lock lock(mutex_);
    stopped_level_ = 0;
    if (level == kPreemptLevelInterrupt || ops.throttle != 0) meter_.started(opened_ns(level));
    else meter_.flight_began(base::now_ns());  // what stood took no longer for it
    placement_.slot->interrupted.store(0, std::memory_order_release);
}

// mutex_ held. Since when the queue that starts now may run: a gate was opened by whoever directed it, before its agent
// came to know.
int64_t XQueue::opened_ns(uint32_t level) const {
    const int64_t now = base::now_ns();
    const int64_t directed_ns = placement_.slot->directed_ns.load(std::memory_order_relaxed);
    return level != kPreemptLevelInterrupt && directed_ns > stopped_ns_ ? std::min(directed_ns, now) : now;
}

// mutex_ held. Likewise, of a queue that has just been stopped.
int64_t XQueue::closed_ns() const {
    const ipc::QueueSlot& slot = *placement_.slot;
    if (slot.suspended.load(std::memory_order_relaxed) == 0) return stopped_ns_;  // by the program
    return std::min(slot.directed_ns.load(std::memory_order_relaxed), stopped_ns_);
}

// transition_ held.
void XQueue::stop_hardware(const Stop& wanted) {
    const XqDeviceOps& ops = *setup_.ops;
    const uint32_t level = wanted.level;
    const uint32_t generation = this->generation();
    XResult result = kXSchedSuccess;
    if (level == kPreemptLevelInterrupt) result = ops.interrupt(setup_.impl, wanted.keeps_off ? 1 : 0);
    else if (level == kPreemptLevelDeactivate && ops.deactivate != nullptr) result = ops.deactivate(setup_.impl);
    if (result != kXSchedSuccess && result != kXSchedErrorNotSupported)
        XLOG_WARN("queue 0x%lx: level %u could not stop it; level 1 goes on acting",
                  static_cast<unsigned long>(handle()), level);
    {
        base::Lock lock(mutex_);
        if (in_use() && generation == this->generation()) {
            if (result == kXSchedErrorNotSupported) lower_level();
            stopped_level_ = result == kXSchedSuccess ? level : static_cast<uint32_t>(kPreemptLevelBlock);
            kept_off_ = wanted.keeps_off;
            stopped_ns_ = base::now_ns();
            const bool off = stopped_level_ == kPreemptLevelInterrupt;
            const bool known = observed_ && submitted_ != completed_;  // that something runs
            if (ops.throttle != 0 && !known) meter_.flight_began(stopped_ns_);
            if (off) meter_.stopped(stopped_ns_, 0);
            else if (ops.throttle != 0) meter_.stopped(closed_ns(), run_on_ns());
            if (!off) return;
            ipc::QueueSlot& slot = *placement_.slot;
            slot.interrupted.store(1, std::memory_order_release);
            progress_known_ = bound_ && gates_ && !kept_off_;  // it may end what it was about
            progress_then_ = slot.progress.load(std::memory_order_acquire);
            outside_then_ = placement_.header->outside_changes.load(std::memory_order_acquire);
            return;
        }
    }
    // It was destroyed meanwhile; nobody else would put it back.
    if (result == kXSchedSuccess && level == kPreemptLevelInterrupt) ops.restore(setup_.impl);
}

// mutex_ held. The hardware, or its driver, does not do level 3 after all; the backend has said why.
void XQueue::lower_level() {
    const bool gates = setup_.ops->throttle != 0 && (gates_ || !bound_);  // unbound: as far as is known
    setup_.level = gates || setup_.ops->deactivate != nullptr ? kPreemptLevelDeactivate : kPreemptLevelBlock;
    placement_.slot->level.store(setup_.level, std::memory_order_relaxed);
}

// What the device reports while it should stand shows that the interrupt had no effect: then it is not worth its price.
// transition_ held.
void XQueue::note_effect() {
    base::Lock lock(mutex_);
    const ipc::QueueSlot& slot = *placement_.slot;
    if (!in_use() || !progress_known_ || (outside_then_ & 1) != 0 ||
        placement_.header->outside_changes.load(std::memory_order_acquire) != outside_then_)
        return;
    if (slot.progress.load(std::memory_order_acquire) == progress_then_) {
        no_effects_ = 0;
        return;
    }
    if (++no_effects_ < kNoEffects) return;
    XLOG_INFO(
        "no preempt level 3 on queue 0x%lx: it went on (from command %u to %u) while its channels were disabled, "
        "so that has no effect here; it uses level 2",
        static_cast<unsigned long>(handle()), progress_then_, slot.progress.load(std::memory_order_relaxed));
    lower_level();
}

// transition_ held.
void XQueue::apply_timeslice(uint32_t us) {
    if (us == timeslice_us_ || setup_.ops->set_timeslice == nullptr) return;
    timeslice_us_ = us;  // also if refused: not tried again for the same value
    setup_.ops->set_timeslice(setup_.impl, us);
}

void XQueue::watch_interrupt(int64_t now_ns) {
    const int64_t limit_ns = base::options().interrupt_limit * base::kMillisecond;
    bool retired = false;
    {
        base::Lock transition(transition_);
        if (!stands_too_long(now_ns, limit_ns)) return;
        XLOG_WARN(
            "queue 0x%lx has been off its device for more than %ld ms with nobody to make room for: it is put back "
            "(XSCHED_INTERRUPT_LIMIT)",
            static_cast<unsigned long>(handle()), static_cast<long>(base::options().interrupt_limit));
        start_hardware();
        base::Lock lock(mutex_);
        stopped_level_ = kPreemptLevelDeactivate;  // its gate stays closed as the scheduler says
        --releasing_;
        retired = retired_;
    }
    if (retired) finish_if_drained();
}

// transition_ held. True: `releasing_` is raised, for the caller to lower.
bool XQueue::stands_too_long(int64_t now_ns, int64_t limit_ns) {
    base::Lock lock(mutex_);
    if (!in_use() || stopped_level_ != kPreemptLevelInterrupt || limit_ns == 0) return false;
    if (api_suspended_ || now_ns - stopped_ns_ < limit_ns) return false;
    const ipc::QueueSlot& slot = *placement_.slot;
    const int32_t by_pid = slot.by_pid.load(std::memory_order_relaxed);
    const bool reason = by_pid != 0 ? lives(by_pid) : slot.held.load(std::memory_order_relaxed) != 0;
    if (reason && slot.suspended.load(std::memory_order_relaxed) != 0) return false;
    given_up_ns_ = slot.directed_ns.load(std::memory_order_relaxed);
    ++releasing_;
    return true;
}

}  // namespace xsched::queue
