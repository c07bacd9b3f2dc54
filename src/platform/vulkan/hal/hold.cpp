#include "platform/vulkan/hal/hold.h"

#include <sched.h>

#include "base/log.h"

namespace xsched::vulkan {

VkSemaphore make_timeline(const XvkDevice& device) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    info.pNext = &type;
    VkSemaphore made = VK_NULL_HANDLE;
    const VkResult result = device.api.vkCreateSemaphore(device.device, &info, nullptr, &made);
    return result == VK_SUCCESS ? made : VK_NULL_HANDLE;
}

bool Gate::begin() {
    semaphore_ = make_timeline(device_);
    return semaphore_ != VK_NULL_HANDLE;
}

void Gate::end() {
    if (ended_.exchange(true)) return;
    while (signalling_.load()) sched_yield();
    if (semaphore_ != VK_NULL_HANDLE) device_.api.vkDestroySemaphore(device_.device, semaphore_, nullptr);
}

// Signals of one semaphore must rise, and no lock is held across a driver's call: the thread that is signalling makes
// later threads' signals as well.
void Gate::open(uint64_t value) {
    uint64_t before = wanted_.load();
    while (before < value && !wanted_.compare_exchange_weak(before, value)) {
    }
    for (;;) {
        if (signalling_.exchange(true)) return;
        const uint64_t target = wanted_.load();
        if (!ended_.load() && target > opened_) {
            opened_ = target;
            VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
            info.semaphore = semaphore_;
            info.value = target;
            const VkResult result = device_.api.vkSignalSemaphore(device_.device, &info);
            if (result != VK_SUCCESS) XLOG_ERRO("vulkan error %d from vkSignalSemaphore", result);
        }
        signalling_.store(false);
        if (wanted_.load() == target) return;
    }
}

}  // namespace xsched::vulkan
