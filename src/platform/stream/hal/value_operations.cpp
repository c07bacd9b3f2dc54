#include "platform/stream/hal/value_operations.h"

#include "base/log.h"
#include "base/options.h"
#include "base/unique_fd.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/hal/gate_trial.h"
#include "platform/stream/hal/pinned_words.h"

namespace xsched::stream {
namespace {

constexpr int kMostDevices = 64;

// What a device lets a stream wait on: the slot's own word, or only memory that the driver made for it.
enum ValueOperations : int { kUntried, kOnAnyWord, kOnSignals, kRefused };
constinit std::atomic<int> g_value_operations[kMostDevices] = {};

int device_index(Device device) { return device >= 0 && device < kMostDevices ? device : 0; }

std::atomic<int>& tried(Device device) { return g_value_operations[device_index(device)]; }
std::atomic<int>& tried(const HwQueue& hwq) { return tried(hwq.device); }

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
constinit std::atomic<XqGateCost> g_gate_costs[kMostDevices] = {};

void say_none(Device device, const char* why, Result code) {
    static constinit std::atomic<bool> said{false};
    const base::LogLevel level = said.exchange(true) ? base::LogLevel::kDebug : base::LogLevel::kInfo;
    XSCHED_LOG(level, "no gates on device %d: %s (%s error %d); its streams use preempt level 1", device, why, kVendor,
               code);
}

int tried_as(Device device, const TrialResult& trial, int works) {
    switch (trial.gate) {
        case GateTrial::kWorks:
            g_gate_costs[device_index(device)].store(trial.cost, std::memory_order_relaxed);
            XLOG_DEBG("device %d: gates work%s; one and a report cost it %u ns, and the launching thread %u ns", device,
                      trial.by_others ? ", for another process's stores too" : "", trial.cost.device_ns,
                      trial.cost.host_ns);
            return works;
        case GateTrial::kUnclear: return kUntried;
        default: say_none(device, sentence(trial.gate), trial.code); return kRefused;
    }
}

// On a stream of our own, and a word in such memory as the slots are in.
int try_on_own_stream(const DevicePlace& place) {
    const RelaxedCapture relaxed(place.api);
    TrialWord word = make_trial_word();
    const base::UniqueFd file(word.file);
    // Where this process alone decides, no other ever opens a gate.
    if (base::options().scheduler_type != kSchedulerGlobal) word.file = -1;
    TrialResult trial;
    trial.gate = GateTrial::kRefused;
    if (word.host != nullptr &&
        pin_word(place.api, place.context, static_cast<uint32_t*>(word.host), &word.device, &trial.code))
        trial = try_gate(place.api, word);
    if (trial.gate != GateTrial::kRefused || torn_down(trial.code)) return tried_as(place.device, trial, kOnAnyWord);
    uint64_t* signal = kMakesSignals ? signal_memory(place.api) : nullptr;
    if (signal != nullptr) trial = try_gate(place.api, {signal, -1, true, as_device_pointer(signal)});
    return tried_as(place.device, trial, kOnSignals);
}

// The first stream of a device tries.
int try_value_operations(HwQueue& hwq, DevicePtr gate) {
    if constexpr (kTriesGates) return try_on_own_stream({*hwq.api, hwq.context, hwq.device});
    const Result code = try_wait(hwq, gate);
    if (code == kSuccess) return kOnAnyWord;
    if (torn_down(code)) return kUntried;
    if (kMakesSignals && make_signal(hwq) && try_wait(hwq, as_device_pointer(hwq.signal.load())) == kSuccess)
        return kOnSignals;
    say_no_gates(hwq, "the driver refuses stream wait-values", code);
    return kRefused;
}

}  // namespace

void say_no_gates(const HwQueue& hwq, const char* why, Result code) { say_none(hwq.device, why, code); }

bool value_operations_work(HwQueue& hwq, DevicePtr gate, bool idle) {
    std::atomic<int>& state = tried(hwq);
    if (state.load(std::memory_order_acquire) == kUntried && idle) {
        const int found = try_value_operations(hwq, gate);
        if (found != kUntried) state.store(found, std::memory_order_release);  // or else another's answer stands
    }
    if (state.load(std::memory_order_acquire) == kOnSignals && !make_signal(hwq)) return false;
    return state.load(std::memory_order_acquire) != kRefused;
}

bool value_operations_untried(const HwQueue& hwq) { return tried(hwq).load(std::memory_order_acquire) == kUntried; }

bool value_operations_refused(const HwQueue& hwq) { return tried(hwq).load(std::memory_order_relaxed) == kRefused; }

void try_value_operations_early(const DevicePlace& place) {
    // Once: a trial that says nothing takes seconds, and the first use of a gate tries again.
    static constinit std::atomic<bool> begun[kMostDevices] = {};
    std::atomic<int>& state = tried(place.device);
    if (!kTriesGates || !has_value_operations(place.api) || state.load(std::memory_order_acquire) != kUntried) return;
    if (begun[device_index(place.device)].exchange(true)) return;
    if (const int found = try_on_own_stream(place); found != kUntried) state.store(found);
}

XqGateCost gate_cost(const HwQueue& hwq) {
    return g_gate_costs[device_index(hwq.device)].load(std::memory_order_relaxed);
}

XResult close_or_open(HwQueue& hwq, bool close) {
    hwq.closed.store(close, std::memory_order_seq_cst);
    set_signal(hwq);
    return kXSchedSuccess;
}

}  // namespace xsched::stream
