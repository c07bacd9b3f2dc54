// A client's queues, as tools are told of them. Front thread.
#pragma once

#include <cstdint>
#include <vector>

#include "server/clients/client.h"

namespace xsched::server {

struct SeenQueue {
    const Client& client;
    uint32_t at;
    ipc::QueueSlot& slot;

    // Returns its number for people within its process, from 1. A queue that comes later may have the number of one
    // that went.
    uint32_t number() const { return at + 1; }
};
std::vector<SeenQueue> queues_of(const Client& client);
// XPlatform of its queues, also of those that are gone; kPlatformUnknown: it had none.
uint32_t platform_of(const Client& client);

}  // namespace xsched::server
