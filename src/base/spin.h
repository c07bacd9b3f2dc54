// Polls a word instead of sleeping on it, if the machine has processors to spare. A polling thread sees a change after
// 2.5 us (p99 7); waking an idle processor takes 70 us (p99 1,400; H100 machine, 16 processors). On few processors
// polling would take one from the programs, and the thread would lose its place in the run queue (2 processors: p99
// from 20 us to 2 ms). Any thread.
#pragma once

#include <sched.h>

#include <cstdint>

namespace xsched::base {

inline constexpr int64_t kSpinNs = 30'000'000;  // how long to poll after the last change

inline void pause_processor() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Returns whether the machine has processors to spare. Makes a system call: ask once.
inline bool processors_to_spare() {
    constexpr int kEnough = 8;
    cpu_set_t mine;
    CPU_ZERO(&mine);
    return sched_getaffinity(0, sizeof(mine), &mine) == 0 && CPU_COUNT(&mine) >= kEnough;
}

}  // namespace xsched::base
