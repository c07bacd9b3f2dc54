#include "server/clients/seen_queue.h"

#include "dispatch/record.h"

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

ipc::SlotWork work_of(const SeenQueue& queue) {
    ipc::SlotWork work = ipc::work_of(queue.slot);
    const auto& client = queue.client.record();
    const dispatch::QueueRecord* record = client != nullptr ? client->find(queue.at) : nullptr;
    const bool presumed = record != nullptr && record->ready_since_ns.load(std::memory_order_relaxed) == 0 &&
                          queue.slot.presumed.load() == static_cast<uint32_t>(work.submitted);
    if (presumed) work.ready = false;
    return work;
}

uint32_t platform_of(const Client& client) {
    const ipc::Region& region = client.region();
    const uint32_t end = std::min(region.header.slot_end.load(std::memory_order_acquire), ipc::kMostQueues);
    for (uint32_t at = 0; at < end; ++at)
        if (const uint32_t platform = region.slots[at].platform.load(std::memory_order_relaxed);
            platform != kPlatformUnknown)
            return platform;
    return kPlatformUnknown;
}

bool counts_memory(const Client& client) {
    const uint32_t platform = platform_of(client);
    if (platform == kPlatformUnknown || platform == kPlatformCUDA || platform == kPlatformHIP) return true;
    const auto& memory = client.header().memory;
    return std::any_of(std::begin(memory), std::end(memory), [](const auto& it) { return it.device.load() != 0; });
}

}  // namespace xsched::server
