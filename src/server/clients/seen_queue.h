// A client's queues as tools are told of them. Front thread.
#pragma once

#include <cstdint>
#include <vector>

#include "ipc/slot_work.h"
#include "server/clients/client.h"

namespace xsched::server {

struct SeenQueue {
    const Client& client;
    uint32_t at;
    ipc::QueueSlot& slot;

    // Returns the queue's number for people, from 1, unique among its process's present queues. A later queue may get
    // the number of one that is gone.
    uint32_t number() const { return at + 1; }
};
std::vector<SeenQueue> queues_of(const Client& client);
// Returns the queue's work as the scheduler sees it: commands whose end will not be reported are work no longer once
// the scheduler presumes that they have ended (dispatch/silence.h).
ipc::SlotWork work_of(const SeenQueue& queue);
// Returns the XPlatform of the client's queues, also of those that are gone; kPlatformUnknown if it never had one.
uint32_t platform_of(const Client& client);
// Returns whether XSched counts the memory of the client's program, or may yet: on other platforms than CUDA and HIP
// its memory stays on the device.
bool counts_memory(const Client& client);

}  // namespace xsched::server
