#include "agent/state.h"

#include "agent/carry_out.h"
#include "ipc/slot_hints.h"
#include "queue/device_names.h"
#include "queue/memory/device_memories.h"

namespace xsched::agent {

std::atomic<ipc::Region*> g_region{nullptr};
ipc::Region* g_private = nullptr;
std::atomic<bool> g_connected{false};
std::atomic<bool> g_stop{false};
Connection g_connection;
Lifeline g_lifeline;
std::atomic<bool> g_lifeline_ended{false};
LocalScheduler g_local;
Errands g_errands;
bool g_told_unscheduled = false;

queue::Placement placement(uint32_t index) {
    ipc::Region* region = g_region.load(std::memory_order_acquire);
    if (region == nullptr) return {};
    return {&region->header, &region->slots[index]};
}

void move_queues(ipc::Region* region) {
    const ipc::Region* before = g_region.load(std::memory_order_acquire);
    if (before != nullptr && before != region) ipc::carry_defaults(before->header, region->header);
    queue::publish_device_names(region->header);
    queue::attach_memory(region->header);
    g_region.store(region, std::memory_order_release);
    for_each_queue([](queue::XQueue& queue) { queue.attach(placement(queue.index())); });
}

static void decide_locally() { g_local.decide_here(); }

bool start_local_scheduler() { return g_local.start(decide_locally); }

void stop_local_scheduler() {
    if (!g_local.stop()) return;
    for_each_queue([](queue::XQueue& queue) { queue.forget_directive(); });
}

}  // namespace xsched::agent
