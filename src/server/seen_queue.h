// A client's queues, as tools are told of them. Front thread.
#pragma once

#include <cstdint>
#include <vector>

#include "server/client.h"

namespace xsched::server {

struct SeenQueue {
    const Client& client;
    uint32_t at;
    ipc::QueueSlot& slot;
};
std::vector<SeenQueue> queues_of(const Client& client);

}  // namespace xsched::server
