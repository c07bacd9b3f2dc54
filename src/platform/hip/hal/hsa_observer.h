// The queues that the HSA runtime makes for this process, as its own calls tell (platform/hip/shim/hsa_table.h): the
// rings of packets that KFD knows by their address. Their indices are read from memory, with no call and no packet.
//
// A stream's queue is the one whose write index moved during the stream's own call. The runtime may map a stream to
// another queue at any time, so each launch looks again; that is one comparison if nothing has changed.
//
// Any thread may call any function; none calls HIP or HSA, and none waits, but for `going`, which lets readers of the
// queue's memory finish.
#pragma once

#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/hal/hsa_api.h"
#include "platform/stream/hal/hardware_use.h"

namespace xsched::hip {

struct QueueFacts {
    uint64_t base_address;  // as in CREATE_QUEUE; 0: there is no such queue
    uint64_t agent;
    uint64_t doorbell;
    uint32_t size;
    uint32_t priority;  // hsa_amd_queue_priority_t
    bool masked;        // to some of the compute units
};
QueueFacts facts_of(uint32_t number);
// Returns the queue's number; 0: it is not observed.
uint32_t number_of_queue(const void* hsa_queue);
// Stores how many packets the host has put into the queue (`written`), and how many the device has taken out (`read`).
// Returns false if there is no such queue.
bool indices_of(uint32_t number, uint64_t* written, uint64_t* read);

// Called when a stream turned out to use another queue. Level 3 implements it (interrupt.cpp): a stopped queue must not
// hold the stream.
void uses_changed();

// Calls visit(number) for every queue that is there.
uint32_t highest_queue_number();

}  // namespace xsched::hip
