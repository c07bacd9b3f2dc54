// Which of the program's semaphores are timelines: a call that signals another kind is never held (submit.h). Any
// thread.
#pragma once

#include "platform/vulkan/shim/devices.h"

namespace xsched::vulkan {

void note_semaphore(Device& device, const VkSemaphoreCreateInfo& info, VkSemaphore made);
void forget_semaphore(Device& device, VkSemaphore semaphore);
bool is_timeline(const Device& device, VkSemaphore semaphore);

}  // namespace xsched::vulkan
