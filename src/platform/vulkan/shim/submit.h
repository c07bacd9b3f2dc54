// One call that gives work to a queue. Batches of ours go before and behind the program's in the same call of the
// driver: a wait, if the command is held, and a signal, by which its end is seen. The program's structures are passed
// on as they are.
//
// A call that signals a binary semaphore is never held in the driver: what waits for such a semaphore, such as a
// present, may only be submitted when its signal can follow. Its caller waits in our code instead.
#pragma once

#include <cerrno>

#include "base/extended_list.h"
#include "base/no_copies.h"
#include "platform/vulkan/shim/queues.h"
#include "platform/vulkan/shim/semaphores.h"

namespace xsched::vulkan {

// A command from admission to completion, on the caller's thread. Leaves errno as the driver left it.
class Launch : base::NoCopies {
public:
    // `unheld`: the caller waits, if need be.
    Launch(const Queue& queue, bool unheld);
    void returned(bool succeeded);
    // Notes that the driver's call returned, and counts the command as complete at once: nothing will tell its end.
    void returned_untold(bool succeeded);

    XvkOperation wait{};  // no semaphore: it is not held
    XvkOperation signal{};

private:
    const Queue& queue_;
    XqTicket ticket_;
};

// The batches of vkQueueSubmit that are ours.
struct Batches1 {
    using Info = VkSubmitInfo;

    void set(const XvkOperation& wait, const XvkOperation& signal);
    static bool signals_binary(const Device& device, const Info& info);
    Info wait{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    Info signal{VK_STRUCTURE_TYPE_SUBMIT_INFO};

private:
    VkSemaphore semaphores_[2];
    uint64_t values_[2];
    VkTimelineSemaphoreSubmitInfo wait_value_{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    VkTimelineSemaphoreSubmitInfo signal_value_{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
};

// The same of vkQueueSubmit2.
struct Batches2 {
    using Info = VkSubmitInfo2;

    void set(const XvkOperation& wait, const XvkOperation& signal);
    static bool signals_binary(const Device& device, const Info& info);
    Info wait{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    Info signal{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};

private:
    VkSemaphoreSubmitInfo operations_[2];
};

template <typename Ours>
bool signals_binary(const Device& device, const typename Ours::Info* batches, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (Ours::signals_binary(device, batches[i])) return true;
    return false;
}

// Submits the batches. `driver`: the function below us. A call without batches signals a fence behind earlier calls,
// and is no command.
template <typename Ours, typename Function>
VkResult submit(Function driver, VkQueue handle, uint32_t count, const typename Ours::Info* batches, VkFence fence) {
    Device* device = device_of(handle);
    const Queue* queue = device != nullptr && count > 0 ? scheduled_queue(*device, handle) : nullptr;
    if (queue == nullptr) return driver(handle, count, batches, fence);
    Launch launch(*queue, signals_binary<Ours>(*device, batches, count));
    constexpr uint32_t kFewBatches = 8;  // judgement: programs seldom give more in one call
    Ours ours;
    ours.set(launch.wait, launch.signal);
    base::ExtendedList<typename Ours::Info, kFewBatches> all;
    const bool held = launch.wait.semaphore != VK_NULL_HANDLE;
    if (!all.make(held ? &ours.wait : nullptr, batches, count, &ours.signal)) {
        const VkResult result = driver(handle, count, batches, fence);
        launch.returned_untold(result == VK_SUCCESS);
        return result;
    }
    const VkResult result = driver(handle, all.count(), all.list(), fence);
    launch.returned(result == VK_SUCCESS);
    return result;
}

}  // namespace xsched::vulkan
