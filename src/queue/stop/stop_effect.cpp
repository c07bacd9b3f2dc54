// HardwareStop, whether level 3 has an effect: work that it took off the device must not go on there.
#include <utility>

#include "base/log.h"
#include "queue/stop/hardware_stop.h"

namespace xsched::queue {
namespace {

// Interrupts in a row with progress, before level 3 counts as ineffective. A report of the device may be late for once.
constexpr uint32_t kMostWithoutEffect = 3;

}  // namespace

// Queue's lock held.
void HardwareStop::forget_progress() {
    watched_ = 0;
    looked_ = false;
}

// Remembers how far the queue is, now that all queues of its process have asked and the hardware has acted. Work that
// is only kept off may end its command, and slowed work goes on: such progress says nothing about the effect, so it is
// not watched. Queue's lock held.
void HardwareStop::note_progress(const XqStopState& state) {
    core_.published.calls_took(state.calls_us);
    if (!std::exchange(effect_due_, false) || !interrupted()) return;
    watched_ = gated_.has_gates() && how_ == kXqTakeOff && !slowed_ ? state.stop : 0;
    progress_then_ = core_.published.slot().progress.load(std::memory_order_acquire);
    outside_then_ = core_.published.header().outside_changes.load(std::memory_order_acquire);
}

void HardwareStop::look_before() {
    base::Lock transition(transition_);
    look_if_it_went_on();
}

// Looks again at a queue taken off by level 3: other queues of the process may have ended or changed the stop.
void HardwareStop::look_after() {
    base::Lock transition(transition_);
    {
        base::Lock lock(core_.mutex);
        if (gone() || !interrupted()) return;
        ++core_.busy;
    }
    const XqStopState now = state();
    {
        base::Lock lock(core_.mutex);
        if ((now.slowed != 0) != slowed_) {
            slowed_ = now.slowed != 0;
            note_taken();
        }
    }
    settle_hold();
    base::Lock lock(core_.mutex);
    --core_.busy;
    if (!gone()) note_progress(now);
}

// Returns whether xserver has stopped or resumed the process's work since note_progress. Queue's lock held.
bool HardwareStop::outside_changed() const {
    return (outside_then_ & 1) != 0 ||
           core_.published.header().outside_changes.load(std::memory_order_acquire) != outside_then_;
}

// Checks for progress under a stop. Progress seen while the stop was in force was made under it. Transition held.
void HardwareStop::look_if_it_went_on() {
    uint32_t progress = 0;
    {
        base::Lock lock(core_.mutex);
        if (gone() || watched_ == 0) return;
        progress = core_.published.slot().progress.load(std::memory_order_acquire);
        ++core_.busy;
    }
    const XqStopState now = state();
    base::Lock lock(core_.mutex);
    --core_.busy;
    if (now.stop != watched_ || outside_changed()) {
        watched_ = 0;
        return;
    }
    looked_ = true;
    progress_now_ = progress;
}

// Checks whether the last interrupt had an effect: progress that the device reports while it should be stopped shows
// that it had none. After several such interrupts level 3 is given up, since it is not worth its price. Transition
// held.
void HardwareStop::note_effect() {
    look_if_it_went_on();
    base::Lock lock(core_.mutex);
    if (!core_.in_use || !std::exchange(looked_, false)) return;
    watched_ = 0;
    if (progress_now_ == progress_then_) {
        no_effects_ = 0;
        return;
    }
    if (++no_effects_ < kMostWithoutEffect) return;
    XLOG_INFO(
        "no preempt level 3 on queue 0x%lx: it went on (from command %u to %u) while its channels were disabled, "
        "so that has no effect here; it uses level 2",
        static_cast<unsigned long>(core_.handle), progress_then_, progress_now_);
    lower_level();
}

}  // namespace xsched::queue
