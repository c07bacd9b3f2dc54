/* HwQueues over Vulkan queues (libhalvulkan.so). */
#ifndef XSCHED_VULKAN_HAL_H
#define XSCHED_VULKAN_HAL_H

#include <vulkan/vulkan_core.h>

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

/* The wrapper of a queue to which the program has submitted under XSched's layer. NotFound if it has none. There is no
 * function that makes one: what a queue's work needs is added by the layer when the program creates its device. */
XResult VulkanQueueGet(HwQueueHandle* hwq, VkQueue queue);

XSCHED_END_INTERFACE

#endif
