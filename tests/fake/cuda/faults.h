// How the fake device can go wrong, for tests of what finds that out (xcli doctor --run). Read from the environment at
// first use; any thread.
//
//   FAKE_CUDA_KERNEL_HANG=1      the kernel `busy` never ends
//   FAKE_CUDA_INEXACT=1          a kernel that was taken off its device leaves a wrong result
//   FAKE_CUDA_STORES_SEEN_MS=n   a wait for a value sees it only so long after it was stored; -1: never
//   FAKE_CUDA_OPEN_GATES=1       a wait for a value never waits
//   FAKE_HIP_VERSION=n           what hipRuntimeGetVersion says
#pragma once

#include <cstdint>

namespace fake {

struct Command;

// Whether a command that waits for a value may go on; `met`: the word compares.
bool wait_is_over(Command& command, bool met);
// At the end of a kernel; `was_off`: it stood meanwhile.
bool result_is_lost(bool was_off);
bool kernels_hang();
long fault_number(const char* variable, long otherwise);

}  // namespace fake
