#include "order/levelzero/chaos.h"

#include <chrono>
#include <vector>

#include "order/core/report.h"

namespace order::levelzero {
namespace {

XQueueHandle queue_of(ze_command_list_handle_t list) {
    static const auto get = reinterpret_cast<GetOfList>(xsched_function("libhallevelzero.so.1", "ZeListGet"));
    HwQueueHandle hwq = 0;
    XQueueHandle queue = 0;
    if (get(&hwq, list) != kXSchedSuccess || xsched().XQueueGet(&queue, hwq) != kXSchedSuccess) return 0;
    return queue;
}

// Returns the XQueues of all command queues and immediate lists that have been used.
std::vector<XQueueHandle> all_queues(World& world) {
    std::vector<XQueueHandle> all;
    for (const ze_command_queue_handle_t queue : world.queues) all.push_back(xsched().queue_of(queue));
    for (const ze_command_list_handle_t list : world.immediate_lists()) all.push_back(queue_of(list));
    std::erase(all, XQueueHandle{0});
    return all;
}

}  // namespace

bool Chaos::available() { return say_whether(xsched().complete(), "libshimlevelzero.so"); }

Chaos::~Chaos() {
    stop_ = true;
    thread_.join();
}

// All queues are suspended and resumed together, as a scheduler does: work of one may wait for that of another.
void Chaos::loop() {
    const Activity activity("chaos");
    while (!stop_.load()) {
        const std::vector<XQueueHandle> queues = all_queues(world_);
        for (const XQueueHandle queue : queues) {
            Activity::set("XQueueSuspend");
            if (xsched().XQueueSuspend(queue, kQueueSuspendFlagNone) == kXSchedSuccess) suspensions_.fetch_add(1);
        }
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(20 + random_.below(random_.once_in(50) ? 5000 : 300)));
        for (const XQueueHandle queue : queues) {
            Activity::set("XQueueResume");
            xsched().XQueueResume(queue, kQueueResumeFlagNone);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(random_.below(300)));
    }
}

}  // namespace order::levelzero
