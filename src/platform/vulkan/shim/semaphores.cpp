#include "platform/vulkan/shim/semaphores.h"

namespace xsched::vulkan {
namespace {

static_assert(sizeof(VkSemaphore) == sizeof(void*), "a semaphore's handle is a key of a map of pointers");

const void* key(VkSemaphore semaphore) { return reinterpret_cast<const void*>(semaphore); }

}  // namespace

void note_semaphore(Device& device, const VkSemaphoreCreateInfo& info, VkSemaphore made) {
    for (auto* part = static_cast<const VkBaseInStructure*>(info.pNext); part != nullptr; part = part->pNext) {
        if (part->sType != VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO) continue;
        const auto* type = reinterpret_cast<const VkSemaphoreTypeCreateInfo*>(part);
        if (type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE) device.timelines.insert(key(made), &device);
    }
}

void forget_semaphore(Device& device, VkSemaphore semaphore) {
    if (semaphore != VK_NULL_HANDLE) device.timelines.erase(key(semaphore));
}

bool is_timeline(const Device& device, VkSemaphore semaphore) {
    return semaphore != VK_NULL_HANDLE && device.timelines.find(key(semaphore)) != nullptr;
}

}  // namespace xsched::vulkan
