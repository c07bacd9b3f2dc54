#include "queue/stop/hardware_stop.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/options.h"

namespace xsched::queue {
namespace {

// How long after the first call a queue that was kept off is put back again, since the device may have missed that call
// (docs/decisions/010). After that, each further call for work that still does not run comes after twice the time.
constexpr int64_t kAgainNs = 2 * base::kMillisecond;
constexpr int64_t kStandsNs = 20 * base::kMillisecond;  // decision 017
constexpr int64_t kLongestStandsNs = 64 * kStandsNs;  // decision 017

constexpr XqStopOps kNoStops = {};

// Returns whether the process exists, whether or not it may be signalled. 0 is no process.
bool lives(int32_t pid) { return pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH); }

}  // namespace

const XqStopOps& HardwareStop::ops() const {
    return core_.setup.ops->stop != nullptr ? *core_.setup.ops->stop : kNoStops;
}

XqStopState HardwareStop::state() const {
    return ops().state != nullptr ? ops().state(core_.setup.impl) : XqStopState{.stop = 1};
}

void HardwareStop::begin() {
    stopped_level_ = timeslice_us_ = no_effects_ = 0;
    given_up_ns_ = again_ns_ = 0;
    outside_ = effect_due_ = taking_ = false;
    forget_progress();
}

// Returns how the hardware should stop this queue now; level 0: not at all. Gates do level 2 by themselves, as holds do
// level 1. Running work is taken off only if the scheduler says that it is worth it, or the program chose level 3 and
// suspends its queue. Queue's lock held.
HardwareStop::Stop HardwareStop::wanted() {
    if (core_.free()) return {};
    if (core_.setup.level != kPreemptLevelInterrupt || !keeps_back()) return {core_.setup.level};
    if (core_.suspension.active && core_.setup.level_chosen) return {kPreemptLevelInterrupt};
    const bool suspended = core_.published.suspended() && core_.published.directed_ns() != given_up_ns_;
    const auto interrupt =
        static_cast<ipc::Interrupt>(core_.published.slot().interrupt.load(std::memory_order_acquire));
    outside_ = outside_ || (suspended && interrupt == ipc::Interrupt::kTogether);
    if (suspended && interrupt == ipc::Interrupt::kNone)
        return {.level = kPreemptLevelDeactivate, .at_gates_alone = true};
    if (!suspended || interrupt == ipc::Interrupt::kTogether) return {kPreemptLevelDeactivate};
    return {kPreemptLevelInterrupt, interrupt == ipc::Interrupt::kKeptOff ? kXqKeepOff : kXqTakeOff};
}

HardwareStop::Applied HardwareStop::apply() {
    base::Lock transition(transition_);
    Stop to;
    uint32_t timeslice_us = 0;
    {
        base::Lock lock(core_.mutex);
        if (gone()) return Applied::kGone;
        to = wanted();
        if (to.level == 0 && std::exchange(outside_, false)) arm_again(false);
        timeslice_us = core_.published.slot().device_timeslice_us.load(std::memory_order_relaxed);
        ++core_.busy;  // the work that resumes may be the last of a retired queue, whose backend goes with it
    }
    change_to(to);
    settle_hold();
    apply_timeslice(timeslice_us);
    base::Lock lock(core_.mutex);
    --core_.busy;
    return to.level == 0 ? Applied::kOpen : Applied::kStopped;
}

// Stops or starts the queue in the hardware as `to` says. A queue that is stopped already keeps its level, with three
// exceptions: the level is raised to an interrupt, work that was only kept off must be taken off, or work that level 3
// took off must stop at its gates alone. Transition held, so that a stop and a start do not cross.
void HardwareStop::change_to(const Stop& to) {
    if (to.level == kPreemptLevelInterrupt && stopped_level_ == to.level) {
        if (how_ == kXqKeepOff && to.how == kXqTakeOff) stop(to);
        return;
    }
    const bool raise = to.level == kPreemptLevelInterrupt && keeps_back();
    const bool lower = to.at_gates_alone && stopped_level_ == kPreemptLevelInterrupt;
    if (to.level == stopped_level_ || (to.level != 0 && stopped_level_ != 0 && !raise && !lower)) return;
    if (stopped_level_ != 0) start();
    if (to.level != 0) stop({.level = to.level, .how = to.how, .at_gates_alone = to.at_gates_alone, .let_back = lower});
}

// Transition held.
void HardwareStop::start() {
    const uint32_t level = stopped_level_;
    if (level == kPreemptLevelInterrupt) note_effect();
    XResult (*restart)(void*) = level == kPreemptLevelInterrupt    ? ops().restore
                                : level == kPreemptLevelDeactivate ? ops().reactivate
                                                                   : nullptr;
    const XResult result = restart != nullptr ? restart(core_.setup.impl) : kXSchedSuccess;
    if (result != kXSchedSuccess)
        XLOG_WARN("queue 0x%lx: level %u could not restart it", static_cast<unsigned long>(core_.handle), level);
    base::Lock lock(core_.mutex);
    if (level == kPreemptLevelInterrupt) arm_again(how_ == kXqKeepOff);
    stopped_level_ = 0;
    slowed_ = held_open_ = false;
    if (level == kPreemptLevelInterrupt || gated())
        core_.meter.started(opened_ns(level), core_.setup.ops->costs.switch_us * base::kMicrosecond);
    else
        core_.meter.flight_began(base::now_ns());  // time while stopped does not lengthen its commands
    core_.published.taken(ipc::Taken::kNothing);
}

// Returns since when the queue that is started now may run: its gate was opened before its agent noticed. Queue's lock
// held.
int64_t HardwareStop::opened_ns(uint32_t level) const {
    const int64_t now = base::now_ns();
    const int64_t directed_ns = core_.published.directed_ns();
    return level != kPreemptLevelInterrupt && directed_ns > stopped_ns_ ? std::min(directed_ns, now) : now;
}

// Returns since when a queue that was just stopped may not run. Queue's lock held.
int64_t HardwareStop::closed_ns() const {
    if (!core_.published.suspended()) return stopped_ns_;  // by the program
    return std::min(core_.published.directed_ns(), stopped_ns_);
}

XResult HardwareStop::call(const Stop& to) const {
    if (to.level == kPreemptLevelInterrupt) return ops().interrupt(core_.setup.impl, to.how);
    if (to.level == kPreemptLevelDeactivate && ops().deactivate != nullptr) return ops().deactivate(core_.setup.impl);
    return kXSchedSuccess;
}

// Transition held.
void HardwareStop::stop(const Stop& to) {
    again_ns_ = 0;
    const uint32_t generation = core_.generation;
    note_call(to);
    const XResult result = call(to);
    const bool slowed = result == kXSchedSuccess && to.level == kPreemptLevelInterrupt && state().slowed != 0;
    if (result != kXSchedSuccess && result != kXSchedErrorNotSupported && result != kXSchedErrorNotAllowed)
        XLOG_WARN("queue 0x%lx: level %u could not stop it; level 1 goes on acting",
                  static_cast<unsigned long>(core_.handle), to.level);
    bool known = false;
    {
        base::Lock lock(core_.mutex);
        known = core_.in_use && generation == core_.generation;
        if (known) note_stopped(to, result, slowed);
    }
    if (known) return slowed ? settle_hold() : void();
    // If the queue was destroyed during the interrupt, its work is put back here, since no later call would do it.
    if (result == kXSchedSuccess && to.level == kPreemptLevelInterrupt) ops().restore(core_.setup.impl);
}

// Notes the call. The process may be frozen (SIGSTOP, a cgroup) before it can say that the call is done: then xserver
// puts the work back nevertheless. Transition held.
void HardwareStop::note_call(const Stop& to) {
    base::Lock lock(core_.mutex);
    if (to.level != kPreemptLevelInterrupt || !core_.in_use) return;
    taking_ = true;
    core_.published.taken(taken());
}

// Notes how a call to stop the queue ended. If the backend has refused the level for good, a lower level is used from
// now on. Queue's lock held.
void HardwareStop::note_stopped(const Stop& to, XResult result, bool slowed) {
    if (result == kXSchedErrorNotSupported) lower_level();
    stopped_level_ = result == kXSchedSuccess ? to.level : static_cast<uint32_t>(kPreemptLevelBlock);
    how_ = to.how;
    slowed_ = slowed;
    held_open_ = false;
    stopped_ns_ = base::now_ns();
    const bool runs = gated_.observed() && core_.submitted != core_.completed;  // known for sure
    if (gated() && !runs) core_.meter.flight_began(stopped_ns_);
    if ((interrupted() && !slowed_) || to.let_back)
        core_.meter.stopped(stopped_ns_, 0);
    else if (gated())
        core_.meter.stopped(closed_ns(), gated_.run_on_ns());
    if (std::exchange(taking_, false) && !interrupted()) core_.published.taken(taken());
    if (interrupted()) note_taken();
}

// Publishes what has become of the queue's work, and begins to watch whether the stop has an effect. Queue's lock held.
void HardwareStop::note_taken() {
    core_.published.taken(taken());
    forget_progress();
    effect_due_ = true;
}

// Opens or closes the word that a device waits for, if that is not the gate in the slot (devices with signals).
// Transition held.
void HardwareStop::settle_hold() {
    if (!gated() || ops().deactivate == nullptr || ops().reactivate == nullptr) return;
    bool open = false;
    {
        base::Lock lock(core_.mutex);
        open = core_.in_use && interrupted() && slowed_ && core_.open();
        if (open == held_open_) return;
        held_open_ = open;
    }
    (open ? ops().reactivate : ops().deactivate)(core_.setup.impl);
}

// Returns the preempt level that works without level 3: level 2 with gates or the backend's deactivate, otherwise 1.
// Queue's lock held.
uint32_t HardwareStop::level_below() const {
    const bool gates = gated() && gated_.may_have_gates();
    return gates || ops().deactivate != nullptr ? kPreemptLevelDeactivate : kPreemptLevelBlock;
}

// Lowers the level, because the hardware or its driver does not do level 3; the backend has said why. Queue's lock
// held.
void HardwareStop::lower_level() { core_.set_level(level_below()); }

// Publishes the level that acts now: the queue's own, or a lower one while level 3 pauses. The backend is asked again
// after publishing, until its answer has not changed meanwhile.
void HardwareStop::publish_level() {
    for (bool published = false, paused = false;;) {
        {
            base::Lock lock(core_.mutex);
            if (gone()) return;
            if (core_.setup.ops->stop == nullptr) return;
            ++core_.busy;
        }
        const bool now = state().paused != 0;
        base::Lock lock(core_.mutex);
        --core_.busy;
        if (gone() || (published && now == paused)) return;
        core_.pause_level(now ? level_below() : 0);
        paused = now;
        published = true;
    }
}

// Transition held.
void HardwareStop::apply_timeslice(uint32_t us) {
    if (us == timeslice_us_ || ops().set_timeslice == nullptr) return;
    timeslice_us_ = us;  // remembered also if refused, so that the same value is not tried again
    ops().set_timeslice(core_.setup.impl, us);
}

// Schedules the next call of put_back_again. `anyhow`: make it even if commands complete. Transition and queue's lock
// held.
void HardwareStop::arm_again(bool anyhow) {
    again_anyhow_ = anyhow;
    again_after_ns_ = anyhow ? kAgainNs : kStandsNs;
    again_ns_ = base::now_ns() + again_after_ns_;
    if (gated()) gated_.absorb_progress();
    again_completed_ = core_.completed;
}

// Returns whether the queue has work, and none of it has completed since arm_again. Queue's lock held.
bool HardwareStop::stands() {
    if (gated()) gated_.absorb_progress();
    return core_.submitted != core_.completed && core_.completed == again_completed_;
}

int64_t HardwareStop::put_back_again(int64_t now_ns) {
    base::Lock transition(transition_);
    if (again_ns_ == 0 || now_ns < again_ns_) return again_ns_;
    again_ns_ = 0;
    XResult (*const restore)(void*) = ops().restore;
    if (restore == nullptr) return 0;
    {
        base::Lock lock(core_.mutex);
        if (gone() || (!again_anyhow_ && !stands())) return 0;
        // While xserver has stopped this process's work, xserver also puts it back. So this object only looks again
        // later.
        if (core_.published.header().outside_stopped.load(std::memory_order_acquire) != 0)
            return again_ns_ = now_ns + again_after_ns_;
        ++core_.busy;
    }
    restore(core_.setup.impl);
    base::Lock lock(core_.mutex);
    --core_.busy;
    again_after_ns_ = std::exchange(again_anyhow_, false) ? kStandsNs : 2 * again_after_ns_;
    if (again_after_ns_ > kLongestStandsNs) return 0;
    return again_ns_ = now_ns + again_after_ns_;
}

bool HardwareStop::put_back_if_forgotten(int64_t now_ns) {
    base::Lock transition(transition_);
    if (!forgotten(now_ns, base::options().interrupt_limit * base::kMillisecond)) return false;
    XLOG_WARN(
        "queue 0x%lx has been off its device for more than %ld ms with no other program to make room for: it is put "
        "back (interrupt_limit of XSCHED_DEBUG)",
        static_cast<unsigned long>(core_.handle), static_cast<long>(base::options().interrupt_limit));
    start();
    base::Lock lock(core_.mutex);
    stopped_level_ = kPreemptLevelDeactivate;  // its gate stays closed as the scheduler directed
    --core_.busy;
    return true;
}

// Returns whether the queue's work has been off the device for longer than `limit_ns` without a reason, such as a
// program it makes room for that has ended. If so, raises `busy`, which the caller lowers. Transition held.
bool HardwareStop::forgotten(int64_t now_ns, int64_t limit_ns) {
    base::Lock lock(core_.mutex);
    if (gone() || !interrupted() || slowed_ || limit_ns == 0) return false;
    if (core_.suspension.active || now_ns - stopped_ns_ < limit_ns) return false;
    const ipc::QueueSlot& slot = core_.published.slot();
    const int32_t by_pid = slot.by_pid.load(std::memory_order_relaxed);
    const bool reason = by_pid != 0 ? lives(by_pid) : slot.suspended_for_nobody.load(std::memory_order_relaxed) != 0;
    if (reason && core_.published.suspended()) return false;
    given_up_ns_ = core_.published.directed_ns();
    ++core_.busy;
    return true;
}

}  // namespace xsched::queue
