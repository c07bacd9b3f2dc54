// The limits that a user's or a control group's programs have together on a device: counts what this process has there,
// and asks the scheduler before it has more than it may (ipc/device_memory.h). Any thread, unless said.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ipc/layout.h"

namespace xsched::queue {

// Counts `bytes` more on the device of entry `at` of Header::memory. Returns false, and counts nothing, if the programs
// would have too much together. Waits for the scheduler if it must be asked, for a second at most. `header`: of the
// scheduler; nullptr: there is none, and no such limit.
bool count_memory(size_t at, uint64_t device, ipc::Header* header, uint64_t bytes);
// Counts `bytes` less.
void uncount_memory(size_t at, ipc::Header* header, uint64_t bytes);
// Writes into this header how much is counted.
void publish_counted(size_t at, ipc::Header& header);
// Copies what the limits left the process into the header of the next scheduler, which has not looked yet.
void carry_joint_limit(size_t at, const ipc::Header& before, ipc::Header& header);
// Returns how much the process could still allocate there under these limits, as the scheduler last saw the others;
// UINT64_MAX: there is no such limit.
uint64_t joint_memory_left(size_t at, const ipc::Header* header);
// Forgets all counted memory. Call in a forked child, which has no device.
void forget_counted_memory();

}  // namespace xsched::queue
