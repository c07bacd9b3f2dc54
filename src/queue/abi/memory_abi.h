// The memory that a program has on a device, between a shim and libpreempt: C ABI. The shim knows how to move memory to
// the host and back under the same addresses; the scheduler says when. Any thread unless said.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XQ_ALL_MEMORY UINT64_MAX

// The rules for the program's memory on each device: the environment's, the program's own, or a person's.
typedef struct XqMemoryRules {
    bool evictable;  // memory that is allocated from now on may be moved
    uint64_t limit;  // bytes that the program may allocate, also by its user's and group's limits; 0: no limit
    uint64_t guarantee;  // bytes that stay on the device, also by its user's or group's guarantee
} XqMemoryRules;

// Called on the errands' thread (agent/errands.h) alone, without locks of ours.
typedef struct XqMemoryOps {
    // Moves at least `bytes` bytes to the host, as far as there is room and no guarantee keeps them, once the program's
    // work is complete. XQ_ALL_MEMORY: all of them. The program's threads wait from here on where they would use the
    // device. Calls xq_memory_holds.
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
// Reports to the scheduler how many bytes of the program's movable memory are on the device, and how many on the host.
void xq_memory_holds(XDevice device, uint64_t on_card, uint64_t on_host);
// Tells how many bytes of device memory the program has allocated that cannot be moved.
void xq_memory_fixed(XDevice device, uint64_t bytes);
// Counts an allocation of the program. Returns false, and counts nothing, if the programs of its user or control group
// would have more together than they may. Waits for the scheduler if it must be asked, for a second at most.
bool xq_memory_count(XDevice device, uint64_t bytes);
// Counts the bytes no longer: the allocation failed, or the memory is free.
void xq_memory_uncount(XDevice device, uint64_t bytes);
// Returns what the program may still allocate by the limits of its user and group; UINT64_MAX: there are none.
uint64_t xq_memory_left(XDevice device);
// Returns a copy of the rules for the program's memory that hold now. A person or the program may change them at any
// time.
XqMemoryRules xq_memory_rules(void);
// Asks the scheduler for `missing` bytes after an allocation failed, and waits for the answer, for kLongestAskNs at
// most. Returns whether other programs have given memory back, so that the allocation should be tried again.
bool xq_memory_ask(XDevice device, uint64_t missing);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
