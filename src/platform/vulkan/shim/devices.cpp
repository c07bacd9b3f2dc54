#include "platform/vulkan/shim/devices.h"

#include <cerrno>

namespace xsched::vulkan {
namespace {

constinit base::PointerMap<Device> g_devices;

}  // namespace

Device* device_of(const void* dispatched) { return g_devices.find(key_of(dispatched)); }

bool add_device(VkDevice handle, Device* device) { return g_devices.insert(key_of(handle), device); }

void note_swapchains(Device* device, int change) {
    if (device == nullptr) return;
    const int saved = errno;
    device->swapchains.fetch_add(change);
    xvk_note_swapchains(&device->driver, change);
    errno = saved;
}

void remove_device(VkDevice handle) { g_devices.erase(key_of(handle)); }

}  // namespace xsched::vulkan
