#include "server/seen_queue.h"

namespace xsched::server {

std::vector<SeenQueue> queues_of(const Client& client) {
    std::vector<SeenQueue> queues;
    ipc::Region& region = client.region();
    const uint32_t end = std::min(region.header.slot_end.load(std::memory_order_acquire), ipc::kMostQueues);
    for (uint32_t at = 0; at < end; ++at)
        if (region.slots[at].state.load(std::memory_order_acquire) == static_cast<uint32_t>(ipc::SlotState::kUsed))
            queues.push_back({client, at, region.slots[at]});
    return queues;
}

}  // namespace xsched::server
