#include "platform/stream/hal/value_operations.h"

#include <new>

#include "base/log.h"
#include "base/options.h"
#include "platform/stream/hal/driver_use.h"
#include "platform/stream/hal/gate_trial.h"
#include "platform/stream/hal/pinned_words.h"
#include "platform/stream/hal/signals.h"

namespace xsched::stream {
namespace {

// The memory on which a device lets a stream wait: the slot's own word, or only memory that the driver made.
enum ValueOperations : int { kUntried, kOnAnyWord, kOnSignals, kRefused };
constinit std::atomic<int> g_value_operations[kMostDevices] = {};

std::atomic<int>& tried(Device device) { return g_value_operations[device_index(device)]; }
std::atomic<int>& tried(const HwQueue& hwq) { return tried(hwq.device); }

// Tries a wait that is satisfied at once, since the word is 0 or 1.
Result try_wait(const HwQueue& hwq, DevicePtr word) { return wait_value(*hwq.api, hwq.stream, word, 0); }

// The cost of a gate and of a report on each device; 0: not known.
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

// A device's inconclusive trial. The thread that runs it takes it out meanwhile.
struct UnclearTrial {
    Trial trial;
    int works;  // what the device has if the trial succeeds
};
constinit std::atomic<UnclearTrial*> g_unclear[kMostDevices] = {};
constinit std::atomic<bool> g_begun[kMostDevices] = {};  // the first run
constinit std::atomic<bool> g_on_signals[kMostDevices] = {};  // it refuses the slots' words: signals work, or nothing

// Runs the trial for the first time, while the program creates a context or a stream, so that it may take resources.
TrialResult first_run(const DevicePlace& place, const TrialWord& word, int works) {
    auto* unclear = new (std::nothrow) UnclearTrial{{place.api, word}, works};
    if (unclear == nullptr) return {};
    const TrialResult result = unclear->trial.first_run();
    if (result.gate == GateTrial::kUnclear)
        g_unclear[device_index(place.device)].store(unclear, std::memory_order_release);
    else
        delete unclear;
    return result;
}

// Tries on a stream of our own, with a word in the kind of memory that slots are in.
int try_on_own_stream(const DevicePlace& place) {
    const RelaxedCapture relaxed(place.api);
    TrialWord word = trial_word(device_index(place.device));
    // Without a global scheduler no other process ever opens a gate, so the trial need not show that a store by another
    // process is seen.
    if (base::options().scheduler_type != kSchedulerGlobal) word.elsewhere = nullptr;
    TrialResult trial;
    trial.gate = GateTrial::kRefused;
    if (word.host != nullptr &&
        pin_word(place.api, place.context, static_cast<uint32_t*>(word.host), &word.device, &trial.code))
        trial = first_run(place, word, kOnAnyWord);
    if (trial.gate != GateTrial::kRefused || torn_down(trial.code)) return tried_as(place.device, trial, kOnAnyWord);
    uint64_t* signal = kMakesSignals ? signal_memory(place.api) : nullptr;
    g_on_signals[device_index(place.device)].store(signal != nullptr, std::memory_order_release);
    if (signal != nullptr) trial = first_run(place, {signal, nullptr, true, as_device_pointer(signal)}, kOnSignals);
    return tried_as(place.device, trial, kOnSignals);
}

// Repeats the trial when a queue needs its gate. Creates nothing, since the program may be in a sandbox by now.
int try_again(const HwQueue& hwq) {
    std::atomic<UnclearTrial*>& place = g_unclear[device_index(hwq.device)];
    UnclearTrial* const unclear = place.exchange(nullptr, std::memory_order_acq_rel);
    if (unclear == nullptr) return kUntried;
    const RelaxedCapture relaxed(*hwq.api);
    const TrialResult result = unclear->trial.next_run();
    const int works = unclear->works;
    if (result.gate == GateTrial::kUnclear)
        place.store(unclear, std::memory_order_release);
    else
        delete unclear;
    return torn_down(result.code) ? kUntried : tried_as(hwq.device, result, works);
}

int try_value_operations(HwQueue& hwq, DevicePtr gate) {
    if constexpr (kTriesGates) return try_again(hwq);
    const Result code = try_wait(hwq, gate);
    if (code == kSuccess) return kOnAnyWord;
    if (torn_down(code)) return kUntried;
    if (kMakesSignals && make_signal(hwq) && try_wait(hwq, as_device_pointer(signal_of(hwq))) == kSuccess)
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
    // The trial runs only once here, since it takes 100 ms and more on a busy device. A queue that needs its gates
    // repeats it.
    std::atomic<int>& state = tried(place.device);
    if (!kTriesGates || !has_value_operations(place.api) || state.load(std::memory_order_acquire) != kUntried) return;
    if (g_begun[device_index(place.device)].exchange(true)) return;
    if (const int found = try_on_own_stream(place); found != kUntried) state.store(found);
}

void take_gate_memory(HwQueue& hwq) {
    if (kMakesSignals && g_on_signals[device_index(hwq.device)].load(std::memory_order_acquire)) make_signal(hwq);
}

// Forgets a device that is reset. The trial's memory is kept, since a thread may be running the trial.
void device_going(Device device) {
    signals_going(device);
    if (g_unclear[device_index(device)].exchange(nullptr) != nullptr) g_begun[device_index(device)].store(false);
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
