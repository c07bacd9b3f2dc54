// Programs that use HSA without HIP (OpenMP offload, IREE's amdgpu driver, UCX): each of their queues gets an XQueue
// when its doorbell is first rung, and each ring of the doorbell is a command of it. The ringing thread waits while the
// queue is suspended; level 3 takes the queue off the device (platform/hip/hal/direct_queue.cpp). The hardware prefers
// the queue as its XQueue's priority says: the ringing thread tells the runtime of a change.
//
// In a process that uses HIP, the HSA runtime's queues belong to HIP's streams and are left alone here. A program that
// writes to the doorbell's address itself is not seen. Any thread.
#pragma once

#include "platform/hip/hal/hsa_api.h"
#include "queue/abi/queue_abi.h"

namespace xsched::hip {

// The runtime's own functions; null: it has none.
struct DirectCalls {
    hsa::AgentGetInfo agent_get_info;
    hsa::QueueSetPriority set_priority;
};
void direct_queue_made(hsa::hsa_queue_t& queue, hsa::hsa_agent_t agent, const DirectCalls& calls);
// Notes that the program gave the queue this hsa_amd_queue_priority_t. The XQueue's priority follows, unless it was set
// otherwise.
void direct_queue_priority(const hsa::hsa_queue_t& queue, uint32_t priority);
// Ends the queue's XQueue. Call before the queue is destroyed.
void direct_queue_going(const hsa::hsa_queue_t& queue);

// A store to a signal, from before it until made(). If the signal is such a queue's doorbell the constructor waits
// while the queue is suspended.
class DirectStore {
public:
    explicit DirectStore(hsa::hsa_signal_t signal);
    void made();

private:
    XqQueue* xqueue_ = nullptr;
    HwQueueHandle hwq_ = 0;
    XqTicket ticket_;
};

}  // namespace xsched::hip
