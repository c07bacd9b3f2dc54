#include "queue/published_slot.h"

#include <type_traits>

#include "base/clock.h"
#include "ipc/slot_hints.h"

namespace xsched::queue {

std::atomic<void (*)()> g_local_decide{nullptr};

namespace {

template <typename T>
void set(std::atomic<T>& word, std::type_identity_t<T> value) {
    word.store(value, std::memory_order_relaxed);
}

void publish_costs(ipc::QueueSlot& slot, const XqCosts& costs) {
    set(slot.switch_us, costs.switch_us);
    set(slot.off_us, costs.off_us);
    set(slot.most_off_us, costs.most_off_us);
    set(slot.effect_us, costs.effect_us);
    set(slot.interrupt_us, costs.interrupt_us);
}

}  // namespace

void PublishedSlot::publish(uint32_t index, const Setup& setup, const SlotState& state, const Window& window,
                            const CommandMeter& meter) {
    ipc::QueueSlot& slot = *placement_.slot;
    set(slot.platform, setup.ops->platform);
    set(slot.handle, state.handle);
    set(slot.hwq, setup.vendor);
    set(slot.device, setup.device);
    set(slot.context, setup.context);
    set(slot.levels, setup.ops->levels);
    publish_costs(slot, setup.ops->costs);
    set(slot.level, state.level);
    set(slot.level_pauses, state.level_pauses ? 1 : 0);
    set(slot.threshold, window.threshold());
    set(slot.batch_size, window.batch_size());
    ipc::store_hints(slot, ipc::by_server_time(header(), setup));
    for (auto& until : slot.inherited_until) set(until, 0);
    for (auto& at : slot.stands_at) set(at, 0);
    set(slot.stands_at[0], state.stands_at);
    set(slot.submitted, state.submitted);
    set(slot.launched, state.launched);
    set(slot.completed, state.completed);
    set(slot.copies, state.copies);
    set(slot.copied_bytes, state.copied_bytes);
    set(slot.holds_until_ns, 0);
    set(slot.command_ns, meter.command_ns());
    set(slot.busy_ns, meter.busy_ns());
    const int64_t now = ipc::server_time(header(), base::now_ns());
    set(slot.ready_since_ns, state.submitted != state.completed ? now : 0);
    set(slot.idle_since_ns, now);
    set(slot.suspended, 0);
    set(slot.interrupt, 0);
    set(slot.taken, static_cast<uint32_t>(state.taken));
    set(slot.device_timeslice_us, 0);
    set(slot.gates_apart_us, 0);
    set(slot.window_ns, 0);
    set(slot.progress, static_cast<uint32_t>(state.completed));
    set(slot.keep_alive, state.keep_alive);
    set(slot.device_progress, 0);
    set(slot.waiting, state.waiting);
    set(slot.inside, state.inside);
    set(slot.unreported, state.unreported);
    set(slot.presumed, static_cast<uint32_t>(state.completed));
    set(slot.api_suspended, state.suspended ? 1 : 0);
    ipc::settle_gate(slot);
    slot.state.store(static_cast<uint32_t>(ipc::SlotState::kUsed), std::memory_order_release);
    std::atomic<uint32_t>& end = placement_.header->slot_end;
    for (uint32_t seen = end.load(); seen <= index && !end.compare_exchange_weak(seen, index + 1);) {
    }
    ipc::ring_doorbell(*placement_.header);
}

void PublishedSlot::read_hints(Setup* setup) const {
    static_cast<base::Hints&>(*setup) = ipc::by_own_time(header(), ipc::load_hints(slot()));
}

void PublishedSlot::free() {
    slot().state.store(static_cast<uint32_t>(ipc::SlotState::kFree), std::memory_order_release);
}

void PublishedSlot::open_gate() {
    slot().suspended.store(0, std::memory_order_seq_cst);
    slot().api_suspended.store(0, std::memory_order_seq_cst);
    ipc::settle_gate(slot());
}

void PublishedSlot::ring_ready(bool ready, int64_t now_ns) {
    (ready ? slot().ready_since_ns : slot().idle_since_ns)
        .store(ipc::server_time(header(), now_ns), std::memory_order_release);
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

void PublishedSlot::calls_took(uint32_t us) {
    if (us != 0) slot().interrupt_us.store(us, std::memory_order_relaxed);
}

void PublishedSlot::forget_directive() {
    slot().suspended.store(0, std::memory_order_release);
    slot().window_ns.store(0, std::memory_order_release);
}

}  // namespace xsched::queue
