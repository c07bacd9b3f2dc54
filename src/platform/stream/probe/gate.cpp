// Tries a gate: does a stream wait for a word in shared memory, and go on when this or another process stores it?
// Measures what a gate, a report and a launch cost the host and the device.
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "arguments.h"
#include "busy_device.h"
#include "shared_word.h"
#include "trials.h"

namespace xsched::probe {
namespace {

using busy::now_ns;

constexpr double kClosedMs = 20;      // a closed gate must hold for this long
constexpr double kPatienceMs = 1000;  // longest wait for a gate to open after the store
constexpr double kLateMs = 100;       // XSched accepts no gate that opens later; such a gate is not measured
constexpr int kCostCalls = 200;

double ms_since(int64_t begin) { return static_cast<double>(now_ns() - begin) / 1e6; }

// Returns the milliseconds until the stream is empty; -1: it is not in time.
double wait_idle_ms(vendor::Stream stream, double patience_ms) {
    const int64_t begin = now_ns();
    while (vendor::query(stream) == vendor::kNotReady) {
        if (ms_since(begin) > patience_ms) return -1;
        std::this_thread::yield();
    }
    return ms_since(begin);
}

void store_from_another_process(SharedWord& word, uint32_t value) {
    const pid_t child = fork();
    if (child == 0) {
        word.store(value);
        _exit(0);  // the child alone: the probe is a process of its own, and no user's program
    }
    if (child > 0)
        waitpid(child, nullptr, 0);  // else no process could be made, and the gate will be said to stay closed
}

// Tries one gate for `value`, and puts the outcome into `found` under `name`. Returns false if nothing more may be
// tried.
bool try_one(Json& found, const char* name, vendor::Stream stream, SharedWord& word, uint32_t value, bool other) {
    Json& one = found[name];
    if (const int code = vendor::wait_value(stream, word.for_device(), value); code != 0) {
        one = {{"code", code}};
        return false;
    }
    sleep_ms(kClosedMs);
    const bool held = vendor::query(stream) == vendor::kNotReady;
    const int64_t begin = now_ns();
    if (other)
        store_from_another_process(word, value);
    else
        word.store(value);
    const double stored_ms = ms_since(begin);
    const double open_ms = held ? wait_idle_ms(stream, kPatienceMs) : 0;
    one = {{"code", 0}, {"held", held}, {"opened", open_ms >= 0}, {"open_ms", open_ms}, {"store_ms", stored_ms}};
    return held && open_ms >= 0 && open_ms <= kLateMs;
}

template <typename Call>
Json cost_of(vendor::Stream stream, const Call& one_call) {
    one_call();
    vendor::wait(stream);
    const int64_t begin = now_ns();
    for (int i = 0; i < kCostCalls; ++i) one_call();
    const double host_us = ms_since(begin) * 1e3 / kCostCalls;
    vendor::wait(stream);
    return {{"host_us", host_us}, {"together_us", ms_since(begin) * 1e3 / kCostCalls}};
}

}  // namespace

Json try_gate(const Settings&) {
    doing("making a stream and registering shared memory");
    vendor::use_device();
    const vendor::Kernel kernel = vendor::load_busy();
    vendor::Stream stream = vendor::make_stream();
    SharedWord word;
    Json found = {{"register_code", word.code()}};
    if (word.code() != 0) return found;
    doing("waiting in a stream for a word that this process stores");
    if (!try_one(found, "this_process", stream, word, 1, false)) return found;
    doing("waiting in a stream for a word that another process stores");
    if (!try_one(found, "other_process", stream, word, 2, true)) return found;
    doing("measuring gates, reports and launches");
    found["gate"] = cost_of(stream, [&] { vendor::wait_value(stream, word.for_device(), 1); });
    found["report"] = cost_of(stream, [&] { vendor::write_value(stream, word.for_device(), 3); });
    vendor::Memory memory = vendor::allocate(4096);
    uint32_t steps = 1;
    void* parameters[] = {&memory, &steps};
    found["launch"] = cost_of(stream, [&] { vendor::launch(kernel, 1, 64, stream, parameters); });
    found["report_seen"] = word.load() == 3;
    return found;
}

}  // namespace xsched::probe
