// How the fake device can go wrong, for tests of what finds that out (xcli doctor --run). Read from the environment at
// first use; any thread.
//
//   FAKE_CUDA_KERNEL_HANG=1      the kernel `busy` never ends
//   FAKE_CUDA_INEXACT=1          a kernel that was taken off its device leaves a wrong result
//   FAKE_CUDA_STORES_SEEN_MS=n   a wait for a value sees it only so long after it was stored; -1: never
//   FAKE_CUDA_OPEN_GATES=1       a wait for a value never waits
//   FAKE_CUDA_BUSY_MS=n          for so long after its first command it runs nothing, as if other programs had it
//   FAKE_CUDA_OTHERS_UNSEEN=1    it never sees what another process stores to the page of a trial, or of xcli's probe
//   FAKE_HSA_READS_AHEAD=1       a hardware queue's read index passes a packet as that starts, not when it is complete
//   FAKE_HIP_VERSION=n           what hipRuntimeGetVersion says
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake {

struct Command;

// Returns whether a command that waits for a value may go on; `met`: the word compares.
bool wait_is_over(Command& command, bool met);
// Returns whether the device is busy with work that this process has not given it.
bool is_busy_elsewhere();
// Hides stores of other processes to a page that was registered with the driver.
void hide_others_stores(void* start, size_t bytes);
// Injected fault: returns whether a kernel that ends now loses its result. `was_off`: the kernel was suspended
// meanwhile.
bool result_is_lost(bool was_off);
bool kernels_hang();
bool packets_are_taken_early();
long fault_number(const char* variable, long otherwise);

}  // namespace fake
