// Which XQueue a VkQueue belongs to. The XQueue is made at the queue's first submit, which takes calls of the driver:
// only threads that use the same queue wait for them. Looking one up takes no lock.
#pragma once

#include "base/first_use.h"
#include "platform/vulkan/shim/devices.h"
#include "queue/abi/queue_abi.h"

namespace xsched::vulkan {

struct Queue {
    VkQueue queue = nullptr;
    XqQueue* xqueue = nullptr;  // nullptr: it is not scheduled
    void* hwq = nullptr;        // xq_hwq_impl's
    base::FirstUse first_use;   // what is above is final once it is over
    Queue* next = nullptr;      // of the same device
};

// Returns the queue, made ready at its first use. nullptr: it is not scheduled.
Queue* scheduled_queue(Device& device, VkQueue queue);
// Reports what is complete on all queues of the device.
void look_at_queues(const Device& device);
// Ends all queues of a device that is about to be destroyed.
void end_queues(Device& device);

}  // namespace xsched::vulkan
