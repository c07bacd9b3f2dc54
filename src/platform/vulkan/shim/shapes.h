// Vulkan's hooks, by the names that api/vulkan.json has for them ("hook"). Each is a template over the function
// (Callee: its Type and number).
//
//   scheduled          batches for a queue (submit.h)
//   bind_sparse        memory for sparse resources; its caller waits while the queue may not run
//   wait               waits for work, and so may tell its end
//   create_semaphore, destroy_semaphore                  (semaphores.h)
//   create_swapchain, create_swapchains, destroy_swapchain   level 3 pauses meanwhile
//   create_device, destroy_device, create_instance, destroy_instance
//   get_device_function, get_instance_function           answer names with our hooks
#pragma once

#include "platform/vulkan/shim/device_life.h"
#include "platform/vulkan/shim/devices.h"
#include "platform/vulkan/shim/instances.h"
#include "platform/vulkan/shim/queues.h"
#include "platform/vulkan/shim/semaphores.h"
#include "platform/vulkan/shim/submit.h"

namespace xsched::vulkan {

inline Batches1 batches_for(const VkSubmitInfo*);
inline Batches2 batches_for(const VkSubmitInfo2*);

template <typename Callee, typename Info>
VkResult scheduled(VkQueue queue, uint32_t count, const Info* batches, VkFence fence) {
    const auto driver = below<Callee>(*device_of(queue));
    return submit<decltype(batches_for(batches))>(driver, queue, count, batches, fence);
}

// Nothing tells the end of a bind that the program does not ask for: it counts as complete at once.
template <typename Callee>
VkResult bind_sparse(VkQueue handle, uint32_t count, const VkBindSparseInfo* binds, VkFence fence) {
    Device& device = *device_of(handle);
    const Queue* queue = scheduled_queue(device, handle);
    if (queue == nullptr || count == 0) return below<Callee>(device)(handle, count, binds, fence);
    Launch launch(*queue, true);
    const VkResult result = below<Callee>(device)(handle, count, binds, fence);
    launch.returned_untold(result == VK_SUCCESS);
    return result;
}

template <typename Callee, typename Dispatched, typename... Arguments>
VkResult wait(Dispatched dispatched, Arguments... arguments) {
    const Device& device = *device_of(dispatched);
    const VkResult result = below<Callee>(device)(dispatched, arguments...);
    const int saved = errno;
    if (result == VK_SUCCESS) look_at_queues(device);
    errno = saved;
    return result;
}

template <typename Callee>
VkResult create_semaphore(VkDevice handle, const VkSemaphoreCreateInfo* info, const VkAllocationCallbacks* allocator,
                          VkSemaphore* made) {
    Device& device = *device_of(handle);
    const VkResult result = below<Callee>(device)(handle, info, allocator, made);
    if (result == VK_SUCCESS) note_semaphore(device, *info, *made);
    return result;
}

template <typename Callee>
void destroy_semaphore(VkDevice handle, VkSemaphore semaphore, const VkAllocationCallbacks* allocator) {
    Device& device = *device_of(handle);
    forget_semaphore(device, semaphore);
    below<Callee>(device)(handle, semaphore, allocator);
}

// The count rises before the call: a frame may be presented as soon as it returns. A call that fails leaves none.
template <typename Callee, typename... Arguments>
VkResult make_swapchains(VkDevice handle, int count, Arguments... arguments) {
    Device* device = device_of(handle);
    note_swapchains(device, count);
    const VkResult result = below<Callee>(*device)(handle, arguments...);
    if (result != VK_SUCCESS) note_swapchains(device, -count);
    return result;
}

template <typename Callee>
VkResult create_swapchain(VkDevice handle, const VkSwapchainCreateInfoKHR* info, const VkAllocationCallbacks* allocator,
                          VkSwapchainKHR* made) {
    return make_swapchains<Callee>(handle, 1, info, allocator, made);
}

template <typename Callee>
VkResult create_swapchains(VkDevice handle, uint32_t count, const VkSwapchainCreateInfoKHR* infos,
                           const VkAllocationCallbacks* allocator, VkSwapchainKHR* made) {
    return make_swapchains<Callee>(handle, static_cast<int>(count), count, infos, allocator, made);
}

template <typename Callee>
void destroy_swapchain(VkDevice handle, VkSwapchainKHR swapchain, const VkAllocationCallbacks* allocator) {
    Device* device = device_of(handle);
    below<Callee> (*device)(handle, swapchain, allocator);
    if (swapchain != VK_NULL_HANDLE) note_swapchains(device, -1);
}

template <typename Callee>
inline constexpr auto create_device = &create_device_below;
template <typename Callee>
inline constexpr auto destroy_device = &destroy_device_below;
template <typename Callee>
inline constexpr auto create_instance = &create_instance_below;
template <typename Callee>
inline constexpr auto destroy_instance = &destroy_instance_below;

// Answers vkGetDeviceProcAddr: with our hook if the driver has the function, otherwise as the driver does.
template <typename Callee>
PFN_vkVoidFunction get_device_function(VkDevice handle, const char* name) {
    const Device* device = device_of(handle);
    if (device == nullptr) return nullptr;
    const PFN_vkVoidFunction driver = device->ask(handle, name);
    const PFN_vkVoidFunction hook = driver != nullptr ? hook_named(name) : nullptr;
    return hook != nullptr ? hook : driver;
}

// Answers vkGetInstanceProcAddr. For an instance that is not known yet, answers by the name alone: the loader asks
// for vkCreateInstance before it is called.
template <typename Callee>
PFN_vkVoidFunction get_instance_function(VkInstance handle, const char* name) {
    const Instance* instance = handle != nullptr ? instance_of(handle) : nullptr;
    if (instance == nullptr) return hook_named(name);
    const PFN_vkVoidFunction driver = instance->ask(handle, name);
    const PFN_vkVoidFunction hook = driver != nullptr ? hook_named(name) : nullptr;
    return hook != nullptr ? hook : driver;
}

}  // namespace xsched::vulkan
