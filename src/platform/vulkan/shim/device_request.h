// A program's request for a device, with what XSched adds: timeline semaphores, and the priority of the
// queues in the driver. The program's structures stay as they are; one bit of a structure of its own is set during the
// call where Vulkan allows no second one beside it.
#pragma once

#include "base/no_copies.h"
#include "platform/vulkan/shim/instances.h"
#include "platform/vulkan/shim/names.h"

namespace xsched::vulkan {

class DeviceRequest : base::NoCopies {
public:
    DeviceRequest(const Instance& instance, VkPhysicalDevice physical, const VkDeviceCreateInfo& info);
    ~DeviceRequest();

    // Adds timeline semaphores. Returns false if the device has none; then nothing was added.
    bool add_timelines();
    // Adds a priority for all queues, if the device has it and the program asks for none. Returns false if it did not.
    bool add_priority(VkQueueGlobalPriorityKHR priority);
    void drop_priority();

    const VkDeviceCreateInfo& info() const { return info_; }

private:
    bool device_has(const char* extension) const;
    bool has_timelines() const;
    bool offers(VkQueueGlobalPriorityKHR priority) const;
    const char* extension_for(VkQueueGlobalPriorityKHR priority) const;
    bool has_own_priority() const;
    bool enable_feature();

    const Instance& instance_;
    const VkPhysicalDevice physical_;
    VkDeviceCreateInfo info_;
    Names extensions_;
    VkPhysicalDeviceTimelineSemaphoreFeatures feature_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
    VkBool32* raised_ = nullptr;  // the program's own bit that is set for the call
    const VkDeviceQueueCreateInfo* programs_queues_;
    VkDeviceQueueCreateInfo* queues_ = nullptr;
    VkDeviceQueueGlobalPriorityCreateInfoKHR* priorities_ = nullptr;
};

}  // namespace xsched::vulkan
