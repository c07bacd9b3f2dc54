#include "queue/published_slot.h"

#include "base/clock.h"
#include "ipc/slot_hints.h"

namespace xsched::queue {

std::atomic<void (*)()> g_local_decide{nullptr};

void PublishedSlot::publish(uint32_t index, const Setup& setup, const SlotState& state, const Window& window,
                            const CommandMeter& meter) {
    ipc::QueueSlot& slot = *placement_.slot;
    slot.platform.store(setup.ops->platform, std::memory_order_relaxed);
    slot.handle.store(state.handle, std::memory_order_relaxed);
    slot.hwq.store(setup.vendor, std::memory_order_relaxed);
    slot.device.store(setup.device, std::memory_order_relaxed);
    slot.levels.store(setup.ops->levels, std::memory_order_relaxed);
    const XqCosts& costs = setup.ops->costs;
    slot.switch_us.store(costs.switch_us, std::memory_order_relaxed);
    slot.off_us.store(costs.off_us, std::memory_order_relaxed);
    slot.most_off_us.store(costs.most_off_us, std::memory_order_relaxed);
    slot.effect_us.store(costs.effect_us, std::memory_order_relaxed);
    slot.interrupt_us.store(costs.interrupt_us, std::memory_order_relaxed);
    slot.level.store(setup.level, std::memory_order_relaxed);
    slot.threshold.store(window.threshold(), std::memory_order_relaxed);
    slot.batch_size.store(window.batch_size(), std::memory_order_relaxed);
    ipc::store_hints(slot, setup);
    for (auto& until : slot.inherited_until) until.store(0, std::memory_order_relaxed);
    slot.submitted.store(state.submitted, std::memory_order_relaxed);
    slot.launched.store(state.launched, std::memory_order_relaxed);
    slot.completed.store(state.completed, std::memory_order_relaxed);
    slot.copies.store(state.copies, std::memory_order_relaxed);
    slot.copied_bytes.store(state.copied_bytes, std::memory_order_relaxed);
    slot.command_ns.store(meter.command_ns(), std::memory_order_relaxed);
    slot.busy_ns.store(meter.busy_ns(), std::memory_order_relaxed);
    const int64_t now = base::now_ns();
    slot.ready_since_ns.store(state.submitted != state.completed ? now : 0, std::memory_order_relaxed);
    slot.idle_since_ns.store(now, std::memory_order_relaxed);
    slot.suspended.store(0, std::memory_order_relaxed);
    slot.interrupt.store(0, std::memory_order_relaxed);
    slot.taken.store(static_cast<uint32_t>(state.taken), std::memory_order_relaxed);
    slot.device_timeslice_us.store(0, std::memory_order_relaxed);
    slot.window_ns.store(0, std::memory_order_relaxed);
    slot.progress.store(static_cast<uint32_t>(state.completed), std::memory_order_relaxed);
    slot.keep_alive.store(state.keep_alive, std::memory_order_relaxed);
    slot.device_progress.store(0, std::memory_order_relaxed);
    slot.waiting.store(state.waiting, std::memory_order_relaxed);
    slot.inside.store(state.inside, std::memory_order_relaxed);
    slot.unreported.store(state.unreported, std::memory_order_relaxed);
    slot.presumed.store(static_cast<uint32_t>(state.completed), std::memory_order_relaxed);
    slot.api_suspended.store(state.suspended ? 1 : 0, std::memory_order_relaxed);
    ipc::settle_gate(slot);
    slot.state.store(static_cast<uint32_t>(ipc::SlotState::kUsed), std::memory_order_release);
    std::atomic<uint32_t>& end = placement_.header->slot_end;
    for (uint32_t seen = end.load(); seen <= index && !end.compare_exchange_weak(seen, index + 1);) {
    }
    ipc::ring_doorbell(*placement_.header);
}

void PublishedSlot::read_hints(Setup* setup) const { static_cast<base::Hints&>(*setup) = ipc::load_hints(slot()); }

void PublishedSlot::free() {
    slot().state.store(static_cast<uint32_t>(ipc::SlotState::kFree), std::memory_order_release);
}

void PublishedSlot::open_gate() {
    slot().suspended.store(0, std::memory_order_seq_cst);
    slot().api_suspended.store(0, std::memory_order_seq_cst);
    ipc::settle_gate(slot());
}

void PublishedSlot::ring_ready(bool ready, int64_t now_ns) {
    (ready ? slot().ready_since_ns : slot().idle_since_ns).store(now_ns, std::memory_order_release);
    if (header().watching.load(std::memory_order_seq_cst) == 0) return;
    if (void (*decide)() = g_local_decide.load(std::memory_order_acquire)) decide();
    ipc::ring_doorbell(header());
}

void PublishedSlot::window(const Window& window) {
    slot().threshold.store(window.threshold(), std::memory_order_relaxed);
    slot().batch_size.store(window.batch_size(), std::memory_order_relaxed);
}

void PublishedSlot::suspended_by_program(bool suspended) {
    slot().api_suspended.store(suspended ? 1 : 0, std::memory_order_seq_cst);
    ipc::settle_gate(slot());
    ipc::ring_doorbell(header());
}

void PublishedSlot::taken(ipc::Taken what) {
    slot().taken.store(static_cast<uint32_t>(what), std::memory_order_seq_cst);
    ipc::settle_gate(slot());
}

void PublishedSlot::forget_directive() {
    slot().suspended.store(0, std::memory_order_release);
    slot().window_ns.store(0, std::memory_order_release);
}

}  // namespace xsched::queue
