#include "platform/vulkan/shim/devices.h"

namespace xsched::vulkan {
namespace {

constinit base::PointerMap<Device> g_devices;

}  // namespace

Device* device_of(const void* dispatched) { return g_devices.find(key_of(dispatched)); }

bool add_device(VkDevice handle, Device* device) { return g_devices.insert(key_of(handle), device); }

void remove_device(VkDevice handle) { g_devices.erase(key_of(handle)); }

}  // namespace xsched::vulkan
