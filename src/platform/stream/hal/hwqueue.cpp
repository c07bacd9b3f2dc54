#include "platform/stream/hal/hwqueue.h"

#include <new>

#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/options.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/hal/gate_trial.h"
#include "platform/stream/hal/pinned_words.h"
#include "platform/stream/hal/scratch.h"

namespace xsched::stream {
namespace {

constexpr uint32_t kOpen = 1;  // what the gate's word must reach
constexpr int kMostDevices = 64;
constexpr uint32_t kFewSpares = 64;  // as many ended wrappers rest before one is used again

// What a device lets a stream wait on: the slot's own word, or only memory that the driver made for it.
enum ValueOperations : int { kUntried, kOnAnyWord, kOnSignals, kRefused };
constinit std::atomic<int> g_value_operations[kMostDevices] = {};

constinit base::Mutex g_spare_mutex;
constinit HwQueue* g_first_spare = nullptr;
constinit HwQueue* g_last_spare = nullptr;
constinit uint32_t g_spares = 0;

HwQueue& of(void* hwq) { return *static_cast<HwQueue*>(hwq); }

XResult checked(HwQueue& hwq, const char* function, Result code) {
    if (code == kSuccess) return kXSchedSuccess;
    const char* name = error_name(*hwq.api, code);
    if (torn_down(code) || hwq.refused.exchange(true, std::memory_order_relaxed))
        XLOG_DEBG("%s error %d (%s) from %s on stream %p", kVendor, code, name, function,
                  static_cast<void*>(hwq.stream));
    else
        XLOG_WARN("%s error %d (%s) from %s on stream %p: its work is not kept track of from here on", kVendor, code,
                  name, function, static_cast<void*>(hwq.stream));
    return kXSchedErrorHardware;
}

void say_no_gates(const HwQueue& hwq, const char* why, Result code) {
    static constinit std::atomic<bool> said{false};
    const base::LogLevel level = said.exchange(true) ? base::LogLevel::kDebug : base::LogLevel::kInfo;
    XSCHED_LOG(level, "no gates on device %d: %s (%s error %d); its streams use preempt level 1", hwq.device, why,
               kVendor, code);
}

int device_index(const HwQueue& hwq) { return hwq.device >= 0 && hwq.device < kMostDevices ? hwq.device : 0; }

std::atomic<int>& tried(const HwQueue& hwq) { return g_value_operations[device_index(hwq)]; }

// The signal follows `closed`: whoever changes either of them looks at the other afterwards.
void set_signal(HwQueue& hwq) {
    if (uint64_t* signal = hwq.signal.load(std::memory_order_seq_cst))
        __atomic_store_n(signal, uint64_t{hwq.closed.load(std::memory_order_seq_cst) ? kOpen - 1 : kOpen},
                         __ATOMIC_SEQ_CST);
}

// A word of the driver's own making. False: it makes none.
bool make_signal(HwQueue& hwq) {
    if (hwq.signal.load(std::memory_order_acquire) == nullptr) {
        const RelaxedCapture relaxed(*hwq.api);
        hwq.signal.store(signal_memory(*hwq.api), std::memory_order_seq_cst);
    }
    set_signal(hwq);
    return hwq.signal.load(std::memory_order_acquire) != nullptr;
}

// Met at once, whatever the word holds: it is 0 or 1.
Result try_wait(const HwQueue& hwq, DevicePtr word) { return wait_value(*hwq.api, hwq.stream, word, 0); }

// What a gate and a report cost on each device; 0: not known.
constinit std::atomic<uint32_t> g_gate_cost_ns[kMostDevices] = {};

int tried_as(HwQueue& hwq, const TrialResult& trial, int works) {
    switch (trial.gate) {
        case GateTrial::kWorks:
            g_gate_cost_ns[device_index(hwq)].store(trial.cost_ns, std::memory_order_relaxed);
            XLOG_DEBG("device %d: gates work; one and a report cost %u ns", hwq.device, trial.cost_ns);
            return works;
        case GateTrial::kUnclear: return kUntried;
        default: say_no_gates(hwq, sentence(trial.gate), trial.code); return kRefused;
    }
}

// On a stream of our own, and a word in such memory as the slots are in.
int try_on_own_stream(HwQueue& hwq) {
    const RelaxedCapture relaxed(*hwq.api);
    TrialWord word{trial_word(device_index(hwq)), false, {}};
    TrialResult trial;
    trial.gate = GateTrial::kRefused;
    if (word.host != nullptr &&
        pin_word(*hwq.api, hwq.context, static_cast<uint32_t*>(word.host), &word.device, &trial.code))
        trial = try_gate(*hwq.api, word);
    if (trial.gate != GateTrial::kRefused || torn_down(trial.code)) return tried_as(hwq, trial, kOnAnyWord);
    uint64_t* signal = kMakesSignals ? signal_memory(*hwq.api) : nullptr;
    if (signal != nullptr) trial = try_gate(*hwq.api, {signal, true, as_device_pointer(signal)});
    return tried_as(hwq, trial, kOnSignals);
}

// The first stream of a device tries.
int try_value_operations(HwQueue& hwq, DevicePtr gate) {
    if constexpr (kTriesGates) return try_on_own_stream(hwq);
    const Result code = try_wait(hwq, gate);
    if (code == kSuccess) return kOnAnyWord;
    if (torn_down(code)) return kUntried;
    if (kMakesSignals && make_signal(hwq) && try_wait(hwq, as_device_pointer(hwq.signal.load())) == kSuccess)
        return kOnSignals;
    say_no_gates(hwq, "the driver refuses stream wait-values", code);
    return kRefused;
}

// Whether the device takes value operations. `idle`: the stream may be used.
bool value_operations_work(HwQueue& hwq, DevicePtr gate, bool idle) {
    std::atomic<int>& state = tried(hwq);
    if (state.load(std::memory_order_acquire) == kUntried && idle) {
        const int found = try_value_operations(hwq, gate);
        if (found != kUntried) state.store(found, std::memory_order_release);  // or else another's answer stands
    }
    if (state.load(std::memory_order_acquire) == kOnSignals && !make_signal(hwq)) return false;
    return state.load(std::memory_order_acquire) != kRefused;
}

// Under a DriverUse.
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
    const bool untried = kTriesGates && works && tried(hwq).load(std::memory_order_acquire) == kUntried;
    works = works && !untried;
    hwq.value_operations.store(works, std::memory_order_release);
    if (untried) return kXSchedErrorNotAllowed;
    return works ? kXSchedSuccess : kXSchedErrorNotSupported;
}

// Under a DriverUse: the device addresses hold, or hold again.
bool words_in_place(HwQueue& hwq, const DriverUse& use) {
    return hwq.epoch.load(std::memory_order_acquire) == pin_epoch() || pin(hwq, use);
}

// What the device waits on.
DevicePtr gate_of(const HwQueue& hwq) {
    uint64_t* signal = kMakesSignals ? hwq.signal.load(std::memory_order_acquire) : nullptr;
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

// An event behind all that the stream has; nullptr: `result` says why not.
Event mark_end(HwQueue& hwq, XResult* result) {
    const DriverUse use(hwq);
    *result = use.verdict();
    if (*result == kXSchedSuccess && use.capturing()) *result = kXSchedErrorNotAllowed;
    if (*result != kXSchedSuccess) return nullptr;
    const RelaxedCapture relaxed(*hwq.api);
    Event end = nullptr;
    Result code = event_create(*hwq.api, &end);
    if (code == kSuccess) code = event_record(*hwq.api, end, hwq.stream);
    *result = checked(hwq, kRecordFunction, code);
    if (code == kSuccess || end == nullptr) return end;
    event_destroy(*hwq.api, end);
    return nullptr;
}

// Without the guard: this may last.
Result wait_for(HwQueue& hwq, Event end) {
    InContext current;
    current.enter(*hwq.api, hwq.context);
    const RelaxedCapture relaxed(*hwq.api);
    const Result code = event_synchronize(*hwq.api, end);
    event_destroy(*hwq.api, end);
    return code;
}

// By an event: a capture that begins meanwhile must not wait for it, and would be spoiled by a synchronization of its
// stream.
XResult synchronize(void* self) {
    HwQueue& hwq = of(self);
    XResult result = kXSchedSuccess;
    Event end = mark_end(hwq, &result);
    return end != nullptr ? checked(hwq, kSynchronizeFunction, wait_for(hwq, end)) : result;
}

// A word is set: the smallest thing that needs the context on the compute engine (a write of a value does not). In a
// stream of our own: another one of the context does as well, and no call of the program's stands in it.
[[maybe_unused]] XResult warm(void* self) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    const RelaxedCapture relaxed(*hwq.api);
    Scratch scratch;
    if (!scratch_of(*hwq.api, hwq.context, &scratch)) return kXSchedErrorNotSupported;
    return checked(hwq, kSetFunction, set_bytes(*hwq.api, scratch.stream, scratch.memory, kScratchBytes));
}

[[maybe_unused]] XResult prepare_to_keep_alive(void* self) {
    HwQueue& hwq = of(self);
    const DriverUse use(hwq, false);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    const RelaxedCapture relaxed(*hwq.api);
    Result code = kNotSupported;
    if constexpr (kSwitchesContexts) code = prepare_keep_alive(*hwq.api, hwq.context);
    if (code == kSuccess) return kXSchedSuccess;
    XLOG_DEBG("device %d: its queues cannot keep it through pauses: %s error %d (%s)", hwq.device, kVendor, code,
              error_name(*hwq.api, code));
    return kXSchedErrorNotSupported;
}

[[maybe_unused]] XResult begin_keep_alive(HwQueue& hwq, [[maybe_unused]] uint32_t number, [[maybe_unused]] int64_t ns) {
    const DriverUse use(hwq);
    if (use.verdict() != kXSchedSuccess) return use.verdict();
    if (use.capturing()) return kXSchedErrorNotAllowed;
    if (!words_in_place(hwq, use)) return kXSchedErrorNotSupported;
    [[maybe_unused]] const DevicePtr word = hwq.device_keep_alive.load(std::memory_order_relaxed);
    Result code = kNotSupported;
    if constexpr (kSwitchesContexts) code = keep_alive(*hwq.api, hwq.context, hwq.stream, word, number, ns);
    return code == kSuccess ? kXSchedSuccess : kXSchedErrorNotSupported;
}

[[maybe_unused]] XResult start_keep_alive(void* self, uint32_t number, int64_t ns, XqReturn when) {
    HwQueue& hwq = of(self);
    XResult result = kXSchedSuccess;
    Event end = when == kXqWhenComplete ? mark_end(hwq, &result) : nullptr;
    if (result == kXSchedSuccess) result = begin_keep_alive(hwq, number, ns);
    if (end == nullptr) return result;
    // A failure is the program's own: the call that this stands for will tell it.
    if (result == kXSchedSuccess) return wait_for(hwq, end) == kSuccess ? kXSchedSuccess : kXSchedErrorHardware;
    event_destroy(*hwq.api, end);
    return result;
}

// Level 2 where the device waits on a word of its own; elsewhere the scheduler's store to the slot does it.
XResult close_or_open(HwQueue& hwq, bool close) {
    hwq.closed.store(close, std::memory_order_seq_cst);
    set_signal(hwq);
    return kXSchedSuccess;
}
XResult deactivate(void* self) { return close_or_open(of(self), true); }
XResult reactivate(void* self) { return close_or_open(of(self), false); }

// Level 3. Until all of the process's queues have asked, and for a signal beyond, the gate acts as well.
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

uint32_t gate_cost_ns(void* self) { return g_gate_cost_ns[device_index(of(self))].load(std::memory_order_relaxed); }

constexpr XqGateOps kGate = {.bind = bind,
                             .words_owner = words_owner,
                             .wait = wait_for_gate,
                             .write_progress = write_progress,
                             .read_progress = read_progress,
                             .cost_ns = gate_cost_ns};

constexpr XqStopOps make_stop(bool interrupts) {
    XqStopOps ops{};
    if (kMakesSignals) {
        ops.deactivate = deactivate;
        ops.reactivate = reactivate;
    }
    if (!interrupts) return ops;
    ops.interrupt = close_and_interrupt;
    ops.restore = restore_and_open;
    if constexpr (kHasTimeslices)
        ops.set_timeslice = [](void* self, uint32_t us) { return set_timeslice(of(self), us); };
    return ops;
}

constexpr XqStopOps kSignals = make_stop(false);
constexpr XqStopOps kInterrupts = make_stop(true);
[[maybe_unused]] constexpr XqKeepAliveOps kKeepAlive = {
    .warm = warm, .prepare = prepare_to_keep_alive, .start = start_keep_alive};

constexpr XqDeviceOps make_ops(uint32_t levels) {
    XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = levels;
    ops.platform = kPlatform;
    ops.order = kXqInOrder;
    ops.gate = &kGate;
    if (kMakesSignals) ops.stop = &kSignals;
    if ((levels & 1u << kPreemptLevelInterrupt) != 0) {
        ops.stop = &kInterrupts;
        ops.costs = kCosts;  // what has no level 3 may share its context with the other programs (MPS)
    }
    if constexpr (kSwitchesContexts) ops.keep_alive = &kKeepAlive;
    ops.synchronize = synchronize;
    ops.destroy = destroy;
    return ops;
}

constexpr XqDeviceOps kGateOps = make_ops(1u << kPreemptLevelBlock | 1u << kPreemptLevelDeactivate);
constexpr XqDeviceOps kInterruptOps =
    make_ops(1u << kPreemptLevelBlock | 1u << kPreemptLevelDeactivate | 1u << kPreemptLevelInterrupt);
constexpr XqDeviceOps kBlockOps = make_ops(1u << kPreemptLevelBlock);

bool interrupts_wanted() {
    const base::Options& options = base::options();
    if (options.level == kPreemptLevelInterrupt) return true;
    return options.interrupt < 0 ? kInterruptsUnasked : options.interrupt != 0;
}

HwQueue* take_hwqueue() {
    base::Lock lock(g_spare_mutex);
    if (g_spares <= kFewSpares) return new (std::nothrow) HwQueue;
    HwQueue* hwq = g_first_spare;
    g_first_spare = hwq->next_spare;
    --g_spares;
    return hwq;
}

}  // namespace

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
    hwq->device = device;
    hwq->thread = kind == StreamKind::kPerThread ? thread_number() : 0;
    hwq->retained = retain && retain_device(api, context, device);
    hwq->refused.store(false, std::memory_order_relaxed);
    hwq->value_operations.store(false, std::memory_order_relaxed);
    hwq->users.restart();
    hwq->generation = base::fork_generation();
    hwq->asks_interrupt = hwq->takes_off = false;
    hwq->interruptible = interrupts_wanted() && join_interrupts(*hwq);
    // Now, while nobody keeps the process off the device.
    if (kTriesGates && has_value_operations(api) && tried(*hwq).load(std::memory_order_acquire) == kUntried)
        if (const int found = try_on_own_stream(*hwq); found != kUntried) tried(*hwq).store(found);
    return hwq;
}

const XqDeviceOps* ops_of(const HwQueue& hwq) {
    const bool gates = has_value_operations(*hwq.api) && tried(hwq).load(std::memory_order_relaxed) != kRefused;
    if (!gates) return &kBlockOps;
    return hwq.interruptible ? &kInterruptOps : &kGateOps;
}

}  // namespace xsched::stream
