// The work of the tests' kernels (order/cuda/kernels.h has the same for real devices). x: a thread's number.
//   append(u32* b, u32 v, u32 n)                   x < n: b[x] = b[x] * 31 + v
//   append_wide(u32* b, struct { u32 v[8]; }, u32 n)   the same with the sum of v
//   mix(u32* to, const u32* from, u32 v, u32 n)    x < n: to[x] = to[x] * 31 + from[x] + v
//   spin(u32 us)                                   busy for so long
//   noop()
//   busy(u32* b, u32 steps)                        b[x] steps a generator; takes 20 ns a step
//   nothing(u64, u32)
//   tick(u32* b, u64* tick, u32 rounds, u32 every)  as busy, 1000 steps a round, and a clock to *tick
//                                                  (the last three are those of the benchmark programs)
//   xsched_keep_alive(u32* word, u32 number, u64 ns, u64 followed)
//                                                  XSched's own (src/platform/cuda/hal/keep_alive.cpp): until the word
//                                                  is past the number, or so long, or so long behind its reaching it
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "fake/cuda/channels.h"
#include "fake/cuda/faults.h"
#include "fake/cuda/launch.h"
#include "fake/cuda/memory.h"

namespace fake {
namespace {

template <typename T>
T read(const std::byte* parameters, size_t offset) {
    T value{};
    std::memcpy(&value, parameters + offset, sizeof value);
    return value;
}
uint32_t* words_at(const std::byte* parameters, size_t offset) {
    return reinterpret_cast<uint32_t*>(host_of(read<CUdeviceptr>(parameters, offset)));
}

void run_append(const std::byte* parameters, size_t threads) {
    uint32_t* words = words_at(parameters, 0);
    const auto value = read<uint32_t>(parameters, 8);
    const size_t count = std::min<size_t>(threads, read<uint32_t>(parameters, 12));
    for (size_t i = 0; i < count; ++i) words[i] = words[i] * 31 + value;
}

void run_append_wide(const std::byte* parameters, size_t threads) {
    uint32_t* words = words_at(parameters, 0);
    uint32_t value = 0;
    for (size_t lane = 0; lane < 8; ++lane) value += read<uint32_t>(parameters, 8 + 4 * lane);
    const size_t count = std::min<size_t>(threads, read<uint32_t>(parameters, 40));
    for (size_t i = 0; i < count; ++i) words[i] = words[i] * 31 + value;
}

void run_mix(const std::byte* parameters, size_t threads) {
    uint32_t* to = words_at(parameters, 0);
    const uint32_t* from = words_at(parameters, 8);
    const auto value = read<uint32_t>(parameters, 16);
    const size_t count = std::min<size_t>(threads, read<uint32_t>(parameters, 20));
    for (size_t i = 0; i < count; ++i) to[i] = to[i] * 31 + from[i] + value;
}

void run_spin(const std::byte* parameters, size_t) { run_for(int64_t{read<uint32_t>(parameters, 0)} * 1000); }

void run_noop(const std::byte*, size_t) {}

// Takes each word that many steps of a generator further: a step is composed with itself by squaring.
void take_steps(uint32_t* words, size_t count, uint64_t steps) {
    uint32_t multiplier = 1664525, increment = 1013904223;
    uint32_t factor = 1, sum = 0;  // of all steps
    for (uint64_t left = steps; left != 0; left >>= 1) {
        if ((left & 1) != 0) {
            sum = sum * multiplier + increment;
            factor *= multiplier;
        }
        increment *= multiplier + 1;
        multiplier *= multiplier;
    }
    for (size_t i = 0; i < count; ++i) words[i] = words[i] * factor + sum;
}

void run_busy(const std::byte* parameters, size_t threads) {
    uint32_t* words = words_at(parameters, 0);
    const auto steps = read<uint32_t>(parameters, 8);
    take_steps(words, threads, steps);
    while (kernels_hang()) run_for(1'000'000);
    if (result_is_lost(run_for(int64_t{steps} * 20))) ++words[0];
}

// A round takes 2.5 us.
void run_tick(const std::byte* parameters, size_t threads) {
    uint32_t* words = words_at(parameters, 0);
    auto* tick = reinterpret_cast<uint64_t*>(host_of(read<CUdeviceptr>(parameters, 8)));
    const auto rounds = read<uint32_t>(parameters, 16);
    for (uint32_t i = 0; i < rounds; ++i) {
        run_for(2500);
        __atomic_store_n(tick, static_cast<uint64_t>(clock_ns()), __ATOMIC_RELEASE);
    }
    take_steps(words, threads, uint64_t{rounds} * 1000);
}

void run_keep_alive(const std::byte* parameters, size_t) {
    const auto* word = reinterpret_cast<const volatile uint32_t*>(host_of(read<CUdeviceptr>(parameters, 0)));
    const auto number = read<uint32_t>(parameters, 8);
    int64_t end = clock_ns() + static_cast<int64_t>(read<uint64_t>(parameters, 16));
    bool followed = false;
    for (int64_t now = clock_ns(); static_cast<int32_t>(*word - number) <= 0 && now < end; now = clock_ns()) {
        if (!followed && *word == number) {
            followed = true;
            end = now + static_cast<int64_t>(read<uint64_t>(parameters, 24));
        }
        pass_moment(end - now);
    }
}

}  // namespace

const Builtin* builtin_named(const char* name) {
    static const auto& all = *new std::vector<Builtin>{
        {"append", {8, 4, 4}, {0, 8, 12}, 16, run_append},
        {"append_wide", {8, 32, 4}, {0, 8, 40}, 44, run_append_wide},
        {"mix", {8, 8, 4, 4}, {0, 8, 16, 20}, 24, run_mix},
        {"spin", {4}, {0}, 4, run_spin},
        {"noop", {}, {}, 0, run_noop},
        {"busy", {8, 4}, {0, 8}, 12, run_busy},
        {"nothing", {8, 4}, {0, 8}, 12, run_noop},
        {"tick", {8, 8, 4, 4}, {0, 8, 16, 20}, 24, run_tick},
        {"xsched_keep_alive", {8, 4, 8, 8}, {0, 8, 16, 24}, 32, run_keep_alive},
    };
    for (const Builtin& it : all)
        if (std::strcmp(it.name, name) == 0) return &it;
    return nullptr;
}

}  // namespace fake
