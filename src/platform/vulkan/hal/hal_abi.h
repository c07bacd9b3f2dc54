// The functions of libhalvulkan for the Vulkan shim of the same process: C ABI, any thread.
#pragma once

#include "platform/vulkan/hal/api.h"
#include "queue/abi/queue_abi.h"
#include "queue/device.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum { kXvkDeviceNameBytes = 64 };

// A device that the program has created. It outlives the wrappers of its queues.
typedef struct XvkDevice {
    VkDevice device;
    xsched::vulkan::VkApi api;
    XDevice identity;
    char name[kXvkDeviceNameBytes];
    bool nvidia;  // of that vendor, at a known PCI address
} XvkDevice;

// Fills in the identity and the name. Pass the properties' ID and PCI structures, or NULL where the driver has none.
void xvk_identify(XvkDevice* device, const VkPhysicalDeviceProperties* properties,
                  const VkPhysicalDeviceIDProperties* id, const VkPhysicalDevicePCIBusInfoPropertiesEXT* pci);

// A semaphore operation of ours.
typedef struct XvkOperation {
    VkSemaphore semaphore;
    uint64_t value;
} XvkOperation;

// Wraps a queue of the device. Calls of the driver for one queue come one after the other, as Vulkan demands.
XResult xvk_wrap(HwQueueHandle* hwq, const XvkDevice* device, VkQueue queue);
// Tells which XQueue the wrapper serves. Call once, before the first command.
void xvk_serve(HwQueueHandle hwq, XqQueue* xqueue);
// Returns the wait of a ticket's hold, to be submitted before the program's batches.
XvkOperation xvk_wait_of(void* hold);
// Returns the next signal, to be submitted behind the program's batches. `impl`: xq_hwq_impl's.
XvkOperation xvk_next_signal(void* impl);
// Notes that the driver has got the command. The token is reported when the signal's value is reached.
void xvk_launched(void* impl, uint64_t value, XqToken token);
// Reports what is complete.
void xvk_look(void* impl);
// Tells of so many more swapchains on the device, or less (below 0).
void xvk_note_swapchains(const XvkDevice* device, int change);
// Call before the device is destroyed, then retire the XQueue: reports everything, and gives up the driver's objects.
void xvk_end(void* impl);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
