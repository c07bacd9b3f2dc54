// XQueue, its control: what the program and the scheduler ask of it.
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "queue/xqueue.h"

namespace xsched::queue {
namespace {

// How long a suspend that synchronizes waits for what other threads' driver calls are about to do.
constexpr int64_t kCallsSettleNs = 10 * base::kMillisecond;  // safety

constexpr int64_t kAnyWait = kQueueSuspendFlagSyncHwQueue | kQueueSuspendFlagWaitAll | kQueueSuspendFlagWaitIdle;

}  // namespace

// Waits until `done`, and asks for reports meanwhile, so that also commands that report only when asked are covered.
// No lock held.
template <typename Done>
void XQueue::wait_reported(Done done, int64_t patience_ns) {
    bool ask = true;
    while (ask) {
        report_all();
        ask = false;
        core_.wait_until([&] { return done() || (ask = !core_.retired && buffered_.tokens().unreported() != 0); },
                         patience_ns);
    }
}

XResult XQueue::suspend(int64_t flags) {
    {
        base::Lock lock(core_.mutex);
        if (!in_use()) return kXSchedErrorNotFound;
        if (core_.suspension.active) return kXSchedSuccess;
    }
    // On a gated device any wait that the flags ask for comes before the gate is closed. Otherwise commands in flight
    // behind a gate might never complete.
    const int64_t before = gated() ? kAnyWait : int64_t{kQueueSuspendFlagWaitAll};
    if ((flags & before) != 0) wait_all();
    flags &= ~before;
    while (!begin_or_close(flags)) {
        wait_all();
        wait_reported([this] { return core_.submitted == core_.completed; });
    }
    if (!in_use()) return kXSchedErrorNotFound;
    if ((flags & kQueueSuspendFlagSyncHwQueue) != 0) wait_in_flight();
    apply_directive();
    XLOG_DEBG("queue 0x%lx suspended by the program", static_cast<unsigned long>(handle()));
    return kXSchedSuccess;
}

// Begins the suspension. If the suspension must wait until no driver call is under way, only marks it as closing: it
// begins at the first such moment. Returns false if the flags ask for an idle queue and it is not idle.
bool XQueue::begin_or_close(int64_t flags) {
    base::Lock lock(core_.mutex);
    if (!in_use()) return true;
    const bool idle = core_.submitted == core_.completed;
    if (!idle && (flags & kQueueSuspendFlagWaitIdle) != 0) return false;
    const bool waits = (flags & kQueueSuspendFlagSyncHwQueue) != 0 && !idle && !held_.quiet();
    if (waits)
        core_.suspension.closing = true;
    else
        core_.begin_suspension();
    return true;
}

// Waits until nothing of this suspended queue runs on the device. A suspension that is still closing waits up to
// kCallsSettleNs for a moment at which no driver call is under way. If there is no such moment (a call blocks, or
// threads take turns), commands that may wait in the driver behind a held one get the same time to complete, and then
// are not awaited: behind the hold they never complete.
void XQueue::wait_in_flight() {
    core_.wait_until([this] { return !core_.suspension.closing; }, kCallsSettleNs);
    {
        base::Lock lock(core_.mutex);
        if (!in_use()) return;
        if (core_.suspension.closing) core_.begin_suspension();
    }
    uint32_t arriving_then = 0;
    for (bool arrived = true; arrived;) {
        {
            base::Lock lock(core_.mutex);
            arriving_then = held_.arriving();
        }
        if (core_.setup.ops->flush != nullptr) core_.setup.ops->flush(core_.setup.impl);  // or it may never run
        arrived = false;
        wait_reported([&] {
            if (core_.in_flight() <= held_.overtaken() || !core_.suspension.active) return true;
            return arrived = held_.arriving() < arriving_then;
        });
    }
    wait_reported([this] { return core_.in_flight() == 0 || !core_.suspension.active; }, kCallsSettleNs);
}

XResult XQueue::resume(int64_t flags) {
    {
        base::Lock lock(core_.mutex);
        if (!in_use()) return kXSchedErrorNotFound;
    }
    if ((flags & kQueueResumeFlagDropCommands) != 0) drop_pending();
    {
        base::Lock lock(core_.mutex);
        core_.suspension.active = false;
        core_.suspension.since_ns = 0;
        core_.published.suspended_by_program(false);
    }
    gated_.wake_callers();
    apply_directive();
    XLOG_DEBG("queue 0x%lx resumed by the program", static_cast<unsigned long>(handle()));
    return kXSchedSuccess;
}

// Drops all commands that were held back. They never run, but threads that wait for them are told that they are
// complete.
void XQueue::drop_pending() {
    HoldGroup* groups = nullptr;
    XqCommand* commands = nullptr;
    {
        base::Lock lock(core_.mutex);
        groups = held_.pop_all();
        commands = buffered_.drop();
        core_.forget_stands();
    }
    held_.release(groups, Release::kDrop);
    while (commands != nullptr) {
        XqCommand* command = std::exchange(commands, commands->next);
        command->ops->destroy(command);
    }
}

XResult XQueue::wait_all(Completion completion) {
    if (!in_use()) return kXSchedErrorNotFound;
    drain();
    uint64_t until = 0;
    {
        base::Lock lock(core_.mutex);
        until = core_.submitted;
    }
    if (core_.setup.ops->synchronize != nullptr) {
        const uint64_t mark = sync_begin();
        const XResult result = core_.setup.ops->synchronize(core_.setup.impl);
        if (result == kXSchedSuccess) sync_end(mark);
        if (result != kXSchedSuccess || gated() || completion == Completion::kDone) return result;
    }
    // The driver says that the work is done, but may report the command's completion from a thread of its own a
    // moment later.
    wait_reported([this, until] { return core_.completed >= until; });
    return kXSchedSuccess;
}

XResult XQueue::set_level(uint32_t level) {
    base::Lock lock(core_.mutex);
    if (!in_use()) return kXSchedErrorNotFound;
    if (level < kPreemptLevelBlock || level > kPreemptLevelInterrupt) return kXSchedErrorInvalidValue;
    if ((core_.setup.ops->levels & (1u << level)) == 0) return kXSchedErrorNotSupported;
    core_.setup.level_chosen = true;
    core_.set_level(level);
    return kXSchedSuccess;
}

XResult XQueue::set_launch_config(int64_t threshold, int64_t batch_size) {
    if (threshold < -1 || threshold > UINT16_MAX || batch_size < -1 || batch_size > UINT16_MAX)
        return kXSchedErrorInvalidValue;
    {
        base::Lock lock(core_.mutex);
        if (!in_use()) return kXSchedErrorNotFound;
        Window& window = core_.window;
        window.configure(threshold > 0 ? static_cast<uint32_t>(threshold) : window.threshold(),
                         batch_size > 0 ? static_cast<uint32_t>(batch_size) : window.batch_size());
        core_.published.window(window);
    }
    pump();
    return kXSchedSuccess;
}

void XQueue::apply_wanted_config() {
    uint32_t level = 0;
    uint32_t threshold = 0;
    uint32_t batch_size = 0;
    {
        base::Lock lock(core_.mutex);
        if (!in_use()) return;
        const ipc::QueueSlot& slot = core_.published.slot();
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

void XQueue::look_before_directives() { stop_.look_before(); }

void XQueue::apply_directive() {
    const HardwareStop::Applied applied = stop_.apply();
    if (applied == HardwareStop::Applied::kOpen) pump();
    if (applied != HardwareStop::Applied::kGone && !gated()) finish_if_drained();  // retire does it there
}

int64_t XQueue::watch_interrupt(int64_t now_ns) {
    if (stop_.put_back_if_forgotten(now_ns) && !gated()) finish_if_drained();
    return stop_.put_back_again(now_ns);
}

void XQueue::look_if_asked() {
    stop_.look_after();
    {
        base::Lock lock(core_.mutex);
        if (!in_use() || !gated()) return;
        const uint32_t ask = core_.published.slot().ask.load(std::memory_order_acquire);
        if (ask == ask_seen_) return;
        ask_seen_ = ask;
    }
    gated_.look();
}

void XQueue::forget_directive() {
    {
        base::Lock lock(core_.mutex);
        if (!in_use()) return;
        core_.published.forget_directive();
    }
    apply_directive();
}

bool XQueue::ready() {
    base::Lock lock(core_.mutex);
    if (in_use() && gated()) gated_.absorb_progress();
    return core_.submitted != core_.completed;
}

bool XQueue::followed() {
    base::Lock lock(core_.mutex);
    return in_use() && (core_.published.watched() || core_.published.window_ns() > 0 || !core_.open() ||
                        core_.suspension.managed || !held_.empty());
}

bool XQueue::suspended_by_scheduler() {
    base::Lock lock(core_.mutex);
    return in_use() && core_.published.suspended();
}

int64_t XQueue::submitted() {
    base::Lock lock(core_.mutex);
    return static_cast<int64_t>(core_.submitted);
}

ipc::QueueSlot* XQueue::slot() {
    base::Lock lock(core_.mutex);
    return core_.published.placement().slot;
}

ipc::Header* XQueue::header() {
    base::Lock lock(core_.mutex);
    return core_.published.placement().header;
}

}  // namespace xsched::queue
