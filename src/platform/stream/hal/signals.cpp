#include "platform/stream/hal/signals.h"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "platform/stream/hal/driver_use.h"

namespace xsched::stream {
namespace {

// How often each device was reset.
constinit std::atomic<uint32_t> g_resets[kMostDevices] = {};
std::atomic<uint32_t>& resets(Device device) { return g_resets[device_index(device)]; }

// A signal of process g_pid. Signals are never given back.
struct Signal {
    uint64_t* word;
    Device device;
    uint32_t resets;  // as HwQueue::signal_resets
    Signal* next;
};
constinit std::atomic<Signal*> g_signals{nullptr};
constinit std::atomic<pid_t> g_pid{0};  // a child of it has none of this memory
constinit std::atomic<bool> g_process_ends{false};
constinit std::atomic<uint32_t> g_storing{0};  // threads that may be about to store to a signal

// Runs when the process exits, before the driver frees its memory. Waits until no thread stores to a signal any more.
// Streams that wait on a signal go on, because the driver may wait for them.
void end_signals() {
    if (g_pid.load() != getpid()) return;
    g_process_ends.store(true, std::memory_order_seq_cst);
    constexpr int kMostTurns = 10'000;  // safety: what is waited for is one store of a thread
    for (int i = 0; i < kMostTurns && g_storing.load(std::memory_order_seq_cst) != 0; ++i) sched_yield();
    for (const Signal* it = g_signals.load(std::memory_order_acquire); it != nullptr; it = it->next)
        if (it->resets == resets(it->device).load()) __atomic_store_n(it->word, uint64_t{kOpen}, __ATOMIC_SEQ_CST);
}

// exit() runs handlers in reverse order. The driver registered its own when it was loaded or started, so this one runs
// first.
void note(Signal* made) {
    if (const pid_t now = getpid(); g_pid.exchange(now) != now) {
        g_signals.store(nullptr);
        std::atexit(end_signals);
    }
    made->next = g_signals.load(std::memory_order_relaxed);
    while (!g_signals.compare_exchange_weak(made->next, made, std::memory_order_acq_rel)) {
    }
}

}  // namespace

bool make_signal(HwQueue& hwq) {
    if (signal_of(hwq) == nullptr) {
        const RelaxedCapture relaxed(*hwq.api);
        hwq.signal.store(nullptr, std::memory_order_seq_cst);
        const uint32_t resets_before = resets(hwq.device).load(std::memory_order_acquire);
        hwq.signal_resets.store(resets_before, std::memory_order_seq_cst);
        auto* made = new (std::nothrow) Signal{nullptr, hwq.device, resets_before, nullptr};
        if (made == nullptr) return false;
        made->word = signal_memory(*hwq.api);
        if (made->word == nullptr) {
            delete made;
            return false;
        }
        __atomic_store_n(made->word, uint64_t{kOpen}, __ATOMIC_SEQ_CST);  // also where the process is ending
        note(made);
        hwq.signal.store(made->word, std::memory_order_seq_cst);
    }
    set_signal(hwq);
    return signal_of(hwq) != nullptr;
}

uint64_t* signal_of(const HwQueue& hwq) {
    uint64_t* const signal = hwq.signal.load(std::memory_order_seq_cst);
    const bool there = hwq.signal_resets.load(std::memory_order_seq_cst) == resets(hwq.device).load();
    return there ? signal : nullptr;
}

void set_signal(HwQueue& hwq) {
    g_storing.fetch_add(1, std::memory_order_seq_cst);
    uint64_t* const signal = g_process_ends.load(std::memory_order_seq_cst) ? nullptr : signal_of(hwq);
    if (signal != nullptr)
        __atomic_store_n(signal, uint64_t{hwq.closed.load(std::memory_order_seq_cst) ? kOpen - 1 : kOpen},
                         __ATOMIC_SEQ_CST);
    g_storing.fetch_sub(1, std::memory_order_seq_cst);
}

void signals_going(Device device) { resets(device).fetch_add(1); }

}  // namespace xsched::stream
