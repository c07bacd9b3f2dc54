#include "platform/stream/hal/hwqueue.h"

#include <new>

#include "base/fork.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/stream/hal/gates.h"
#include "platform/stream/hal/keep_alive_ops.h"
#include "platform/stream/hal/stream_end.h"
#include "platform/stream/hal/value_operations.h"

namespace xsched::stream {
namespace {

constexpr uint32_t kFewSpares = 64;  // as many ended wrappers rest before one is used again

constinit base::Mutex g_spare_mutex;
constinit HwQueue* g_first_spare = nullptr;
constinit HwQueue* g_last_spare = nullptr;
constinit uint32_t g_spares = 0;

// Waits for all work of the stream by an event. A synchronization of the stream would spoil a capture that begins
// meanwhile, and a capture must not have to wait for this wait.
XResult synchronize(void* self) {
    HwQueue& hwq = of(self);
    XResult result = kXSchedSuccess;
    Event end = mark_end(hwq, &result);
    return end != nullptr ? checked(hwq, kSynchronizeFunction, wait_for(hwq, end)) : result;
}

XResult deactivate(void* self) {
    if constexpr (kPausesDevices) return ask_pause(of(self), true);
    return close_or_open(of(self), true);
}
XResult reactivate(void* self) {
    if constexpr (kPausesDevices) return ask_pause(of(self), false);
    return close_or_open(of(self), false);
}

// Closes the gate and asks for level 3. The gate also acts until all of the process's queues have asked, and on devices
// that wait on signals.
XResult close_and_interrupt(void* self, XqInterrupt how) {
    HwQueue& hwq = of(self);
    close_or_open(hwq, true);
    const XResult result = interrupt(hwq, how);
    if (result != kXSchedSuccess) close_or_open(hwq, false);
    return result;
}
XResult restore_and_open(void* self) {
    restore(of(self));
    return close_or_open(of(self), false);
}

void destroy(void* self) {
    HwQueue& hwq = of(self);
    hwq.users.end();
    leave_interrupts(hwq);
    if constexpr (kPausesDevices) leave_pauses(hwq);
    hwq.hardware.store(nullptr, std::memory_order_release);
    reactivate(self);
    {
        InContextAtEnd current;
        const bool works = current.enter(*hwq.api, hwq.context);
        hwq.events.clear(works ? hwq.api : nullptr);
        if (works && hwq.retained) release_device(*hwq.api, hwq.device);
    }
    base::Lock lock(g_spare_mutex);
    hwq.next_spare = nullptr;
    (g_last_spare != nullptr ? g_last_spare->next_spare : g_first_spare) = &hwq;
    g_last_spare = &hwq;
    ++g_spares;
}

XResult apply_timeslice(void* self, uint32_t us) {
    if constexpr (kHasTimeslices) return set_timeslice(of(self), us);
    return kXSchedErrorNotSupported;
}

constexpr XqStopOps make_stop(bool interrupts, bool timeslices) {
    XqStopOps ops{};
    if (timeslices) ops.set_timeslice = apply_timeslice;
    if (kMakesSignals || kPausesDevices) {
        ops.deactivate = deactivate;
        ops.reactivate = reactivate;
    }
    if (!interrupts) return ops;
    ops.interrupt = close_and_interrupt;
    ops.restore = restore_and_open;
    ops.state = [](void* self) { return stop_state(of(self)); };
    static_assert(kHasTimeslices == (kCosts.switch_us != 0), "the scheduler knows by the cost of a switch");
    return ops;
}

constexpr XqStopOps kSignals = make_stop(false, false);
constexpr XqStopOps kTimeslices = make_stop(false, true);
constexpr XqStopOps kInterrupts = make_stop(true, kHasTimeslices);
constexpr XqDeviceOps make_ops(uint32_t levels, bool timeslices = false) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = levels;
    ops.platform = kPlatform;
    ops.order = kXqInOrder;
    ops.gate = &kGateOps;
    if (kMakesSignals || (kPausesDevices && levels != 1u << kPreemptLevelBlock)) ops.stop = &kSignals;
    if ((levels & 1u << kPreemptLevelInterrupt) != 0) {
        ops.stop = &kInterrupts;
        ops.costs = kCosts;
    } else if (timeslices) {
        ops.stop = &kTimeslices;
        ops.costs.switch_us = kCosts.switch_us;
    }
    if constexpr (kSwitchesContexts) ops.keep_alive = &kKeepAliveOps;
    ops.synchronize = synchronize;
    ops.destroy = destroy;
    return ops;
}

constexpr XqDeviceOps kGatedDevice = make_ops(1u << kPreemptLevelBlock | 1u << kPreemptLevelDeactivate);
constexpr XqDeviceOps kInterruptedDevice =
    make_ops(1u << kPreemptLevelBlock | 1u << kPreemptLevelDeactivate | 1u << kPreemptLevelInterrupt);
// A context that other processes share (MPS): the hardware takes all of it off at the end of its timeslice.
constexpr XqDeviceOps kSharedDevice = make_ops(1u << kPreemptLevelBlock | 1u << kPreemptLevelDeactivate, true);
constexpr XqDeviceOps kBlockedDevice = make_ops(1u << kPreemptLevelBlock);

HwQueue* take_hwqueue() {
    base::Lock lock(g_spare_mutex);
    if (g_spares <= kFewSpares) return new (std::nothrow) HwQueue;
    HwQueue* hwq = g_first_spare;
    g_first_spare = hwq->next_spare;
    --g_spares;
    return hwq;
}

}  // namespace

bool interrupts_wanted() {
    const base::Options& options = base::options();
    if (options.level == kPreemptLevelInterrupt) return true;
    return options.interrupt < 0 ? kInterruptsUnasked : options.interrupt != 0;
}

HwQueue* make_hwqueue(const Api& api, StreamKind kind, Stream stream, Context context, bool retain) {
    const Device device = device_of(api, context);
    if (device < 0) return nullptr;
    HwQueue* hwq = take_hwqueue();
    if (hwq == nullptr) return nullptr;
    hwq->api = &api;
    hwq->kind = kind;
    hwq->stream = stream;
    if (kind == StreamKind::kLegacy) hwq->stream = nullptr;
    if (kind == StreamKind::kPerThread) hwq->stream = reinterpret_cast<Stream>(kPerThreadStream);
    hwq->context = context;
    if (hwq->device != device) hwq->signal.store(nullptr, std::memory_order_seq_cst);
    hwq->device = device;
    hwq->thread = kind == StreamKind::kPerThread ? thread_number() : 0;
    hwq->retained = retain && retain_device(api, context, device);
    hwq->refused.store(false, std::memory_order_relaxed);
    hwq->value_operations.store(false, std::memory_order_relaxed);
    hwq->places.forget();
    hwq->users.restart();
    hwq->generation = base::fork_generation();
    hwq->asks_interrupt = hwq->takes_off = false;
    hwq->interruptible = interrupts_wanted() && join_interrupts(*hwq);
    if constexpr (kHasTimeslices)
        hwq->has_timeslice = interrupts_wanted() && !hwq->interruptible && join_timeslices(*hwq);
    if constexpr (kPausesDevices) hwq->pauses = join_pauses(*hwq);
    try_value_operations_early({api, context, device});
    take_gate_memory(*hwq);
    return hwq;
}

const XqDeviceOps* ops_of(const HwQueue& hwq) {
    const bool gates = has_value_operations(*hwq.api) && !value_operations_refused(hwq);
    if (!gates) return hwq.pauses ? &kGatedDevice : &kBlockedDevice;
    if (hwq.has_timeslice) return &kSharedDevice;
    return hwq.interruptible ? &kInterruptedDevice : &kGatedDevice;
}

}  // namespace xsched::stream
