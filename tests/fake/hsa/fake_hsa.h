// The HSA runtime's stand-in (libfakehsa.so): agents, queues with the indices of AMD's amd_queue_t, and the table of
// functions that the real one hands to rocprofiler-register. Over the fake kernel driver (fake/kfd), where that is
// loaded: each queue is one of KFD's there, with the address of its ring.
//
// The owner of a queue says what its packets mean: the HIP stand-in counts its commands in the indices and runs them
// itself. Packets of programs that use HSA directly run here, one queue's one after the other. They are kernels whose
// `kernel_object` is the address of a function of the program's, called with the kernel's arguments.
//
// Environment:
//   FAKE_HSA_TABLE=0   the table is not handed out (before ROCm 6.2)
//   FAKE_HSA_LOCAL=1   the HIP stand-in calls it past the libraries before it
#pragma once

#include <atomic>
#include <cstdint>

extern "C" {
// Returns the word that is not 0 while the queue is suspended; nullptr: there is no kernel driver, or no such queue.
const std::atomic<uint32_t>* fake_hsa_stopped(const void* queue);
// Returns the queue's number in the kernel driver, from 1; 0: it has none.
uint32_t fake_hsa_kfd_queue(const void* queue);
// Returns how many queues exist.
unsigned fake_hsa_queues(void);
// Called by a kernel of the program: makes it take `ns` on the device.
void fake_hsa_run_for(int64_t ns);
}
