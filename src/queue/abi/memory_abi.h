// The memory that a program has on a device, between a shim and libpreempt: C ABI. The shim knows how to move memory to
// the host and back under the same addresses; the scheduler says when. Any thread unless said.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Called on the errands' thread (agent/errands.h) alone, without locks of ours.
typedef struct XqMemoryOps {
    // Moves at least `bytes` bytes to the host, as far as there is room, once the program's work is complete. The
    // program's threads wait from here on where they would use the device. Calls xq_memory_holds.
    void (*give)(XDevice device, uint64_t bytes);
    // Moves everything back, and lets the threads go on. If there is no room nothing changes. Calls xq_memory_holds.
    void (*take_back)(XDevice device);
    // Returns how many bytes of the device are free.
    uint64_t (*free_bytes)(XDevice device);
    // Called in quiet moments: prepares memory of the host, a piece at a time. Returns false once there is enough.
    bool (*prepare)(XDevice device);
} XqMemoryOps;

#pragma GCC visibility push(default)

// Tells that the program's memory on this device may be moved, and how. `ops` lasts as long as the process.
void xq_memory_offer(XDevice device, const XqMemoryOps* ops);
// Tells how many bytes that can be moved are on the device, and on the host.
void xq_memory_holds(XDevice device, uint64_t on_card, uint64_t on_host);
// An allocation failed: asks the scheduler for `missing` bytes and waits for the answer, for kLongestAskNs at most.
// Returns whether other programs have given memory back, so that the allocation should be tried again.
bool xq_memory_ask(XDevice device, uint64_t missing);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
