// The compute units of the fake device, and the kernels that run on them side by side (FAKE_KFD_UNITS), in memory that
// processes share. Any thread.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace fake::kfd {

constexpr int kMostRuns = 64;  // at a time

class Runs {
public:
    // Begins a kernel that uses the units of `mask`. Returns its place; -1: kernels do not run side by side. Both
    // objects are read until the kernel ends.
    int begin(const std::atomic<uint64_t>& mask, const std::atomic<uint32_t>& priority);
    // Returns the speed as a part of the whole device's.
    double speed(int place, bool runs);
    void end(int place);

private:
    struct Run {
        std::atomic<pid_t> pid{0};
        std::atomic<uint64_t> units{0};  // 0: it is off the device
        std::atomic<uint32_t> priority{0};
    };
    void forget_dead();
    Run runs_[kMostRuns];
};

}  // namespace fake::kfd
