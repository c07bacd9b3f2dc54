// The data that a test and its CUDA programs share, in a mapped file.
#pragma once

#include <atomic>
#include <cstdint>

namespace xsched::test {

struct Board {
    enum Order : uint32_t { kRest, kWork, kEnd, kBecome, kSilent };
    std::atomic<uint32_t> order;     // by the test
    std::atomic<uint32_t> burst;     // by the test: so many batches with short gaps, then a pause; 0: neither
    std::atomic<uint32_t> pause_us;  // by the test
    std::atomic<uint64_t> done;      // kernels, by the program
    std::atomic<uint32_t> ended;     // ordered kSilent: 1 once the program's own memory has the result
    std::atomic<uint64_t> done_on[2];  // the same on each device
    std::atomic<uint32_t> contexts;  // by the test: how many contexts it has besides the primary one
    std::atomic<uint32_t> contexts_there;  // how many there are, by the program
    std::atomic<uint64_t> recorded;  // how often it recorded its event for other processes, by the program
    char event[64];  // that event's name, by the program before `recorded` is above 0
};

constexpr int kWrongResult = 3;  // the program's exit status

}  // namespace xsched::test
