#include "platform/stream/hal/gates.h"

#include "platform/stream/hal/pinned_words.h"
#include "platform/stream/hal/progress.h"
#include "platform/stream/hal/stream_end.h"
#include "platform/stream/hal/value_operations.h"

namespace xsched::stream {
namespace {

// Registers the queue's words with the driver. Returns false if the driver has no gates, or refuses. `use`: the
// DriverUse that the caller is inside of.
bool pin(HwQueue& hwq, const DriverUse& use) {
    const Api& api = *hwq.api;
    if (!has_value_operations(api)) {
        say_no_gates(hwq, "the driver has no stream wait-values", kNotSupported);
        return false;
    }
    const uint32_t epoch = pin_epoch();
    DevicePtr gate{};
    DevicePtr progress{};
    DevicePtr keep_alive{};
    Result code = kSuccess;
    {
        RelaxedCapture relaxed(api);
        if (!pin_word(api, hwq.context, hwq.gate.load(), &gate, &code) ||
            !pin_word(api, hwq.context, hwq.progress.load(), &progress, &code) ||
            !pin_word(api, hwq.context, hwq.keep_alive.load(), &keep_alive, &code)) {
            if (!torn_down(code)) say_no_gates(hwq, "the shared memory cannot be registered with the driver", code);
            return false;
        }
    }
    hwq.device_gate.store(gate, std::memory_order_relaxed);
    hwq.device_progress.store(progress, std::memory_order_relaxed);
    hwq.device_keep_alive.store(keep_alive, std::memory_order_relaxed);
    hwq.epoch.store(epoch, std::memory_order_release);
    return value_operations_work(hwq, gate, !use.capturing());
}

XResult bind(void* self, const XqWords* words) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    hwq.gate.store(words->gate, std::memory_order_relaxed);
    hwq.progress.store(words->progress, std::memory_order_relaxed);
    hwq.keep_alive.store(words->keep_alive, std::memory_order_relaxed);
    bool works = use.verdict() == kXSchedSuccess && pin(hwq, use);
    const bool untried = kTriesGates && works && value_operations_untried(hwq);
    works = works && !untried;
    hwq.value_operations.store(works, std::memory_order_release);
    if (untried) return kXSchedErrorNotAllowed;
    return works ? kXSchedSuccess : kXSchedErrorNotSupported;
}

// Returns the word that the device waits on.
DevicePtr gate_of(const HwQueue& hwq) {
    uint64_t* signal = kMakesSignals ? signal_of(hwq) : nullptr;
    return signal != nullptr ? as_device_pointer(signal) : hwq.device_gate.load(std::memory_order_relaxed);
}

uint64_t words_owner(void* self) { return reinterpret_cast<uint64_t>(of(self).context); }

XResult wait_for_gate(void* self) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    if (use.capturing()) return kXSchedErrorNotAllowed;
    if (!hwq.value_operations.load(std::memory_order_acquire) || !words_in_place(hwq, use))
        return kXSchedErrorNotSupported;
    return checked(hwq, kWaitFunction, wait_value(*hwq.api, hwq.stream, gate_of(hwq), kOpen));
}

XResult write_progress(void* self, uint32_t value) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    if (use.capturing()) return kXSchedErrorNotAllowed;
    if (hwq.value_operations.load(std::memory_order_acquire) && words_in_place(hwq, use))
        return checked(hwq, kWriteFunction,
                       write_value(*hwq.api, hwq.stream, hwq.device_progress.load(std::memory_order_relaxed), value));
    const Result code = hwq.events.record(*hwq.api, hwq.stream, value);
    return code == kNotReady ? kXSchedErrorNotAllowed : checked(hwq, kRecordFunction, code);
}

XResult read_progress(void* self, uint32_t* value) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    RelaxedCapture relaxed(*hwq.api);
    *value = hwq.events.passed(*hwq.api, *value);
    return kXSchedSuccess;
}

XqGateCost cost(void* self) { return gate_cost(of(self)); }

bool captured(void* self) {
    const DriverUse use(of(self));
    return use.verdict() == kXSchedSuccess && use.capturing();
}

}  // namespace

bool words_hold(const HwQueue& hwq) { return hwq.epoch.load(std::memory_order_acquire) == pin_epoch(); }

bool words_in_place(HwQueue& hwq, const DriverUse& use) { return words_hold(hwq) || pin(hwq, use); }

static constexpr XqGateOps make_gate_ops() {
    XqGateOps ops{};
    ops.bind = bind;
    ops.words_owner = words_owner;
    if (!kPausesDevices) ops.wait = wait_for_gate;
    ops.write_progress = write_progress;
    ops.read_progress = read_progress;
    ops.cost = cost;
    ops.captured = captured;
    if constexpr (kReadsProgress) {
        ops.note_place = [](void* self, uint32_t value) { return note_place(of(self), value); };
        ops.look = [](void* self, uint32_t* complete, uint32_t* begun) { return look(of(self), complete, begun); };
    }
    return ops;
}
constexpr XqGateOps kGateOps = make_gate_ops();

}  // namespace xsched::stream
