// Drivers, devices, contexts, memory, modules and kernels.
#include <cstdlib>
#include <cstring>

#include "fake/levelzero/engine.h"
#include "fake/levelzero/settings.h"

namespace {

_ze_driver_handle_t g_driver{{{0}, {1}}};

}  // namespace

extern "C" {

ze_result_t zeInit(ze_init_flags_t) { return ZE_RESULT_SUCCESS; }

ze_result_t zeDriverGet(uint32_t* count, ze_driver_handle_t* drivers) {
    if (*count > 0 && drivers != nullptr) drivers[0] = &g_driver;
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t* count, ze_device_handle_t* devices) {
    for (uint32_t i = 0; devices != nullptr && i < 2 && i < *count; ++i) devices[i] = &driver->devices[i];
    if (devices == nullptr || *count > 2) *count = 2;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t device, ze_device_properties_t* properties) {
    properties->type = fake::device_at(device->index).type;
    properties->vendorId = 0x8086;
    properties->uuid.id[0] = static_cast<uint8_t>(1 + device->index);
    std::strcpy(properties->name, device->index == 0 ? "Fake Level Zero GPU" : "Fake Level Zero NPU");
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDevicePciGetPropertiesExt(ze_device_handle_t device, ze_pci_ext_properties_t* properties) {
    properties->address = {0, 3, static_cast<uint32_t>(device->index), 0};
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextCreate(ze_driver_handle_t, const ze_context_desc_t*, ze_context_handle_t* made) {
    *made = new _ze_context_handle_t;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextDestroy(ze_context_handle_t context) {
    if (!FAKE_GOOD(context, kContext)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (context->objects.load() != 0) fake::misuse("zeContextDestroy with %d objects in it", context->objects.load());
    delete context;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemAllocShared(ze_context_handle_t, const ze_device_mem_alloc_desc_t*, const ze_host_mem_alloc_desc_t*,
                             size_t size, size_t, ze_device_handle_t, void** made) {
    *made = std::calloc(1, size);
    return *made != nullptr ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

ze_result_t zeMemFree(ze_context_handle_t context, void* memory) {
    fake::note_freed(context, memory);
    std::free(memory);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleCreate(ze_context_handle_t, ze_device_handle_t, const ze_module_desc_t*, ze_module_handle_t* made,
                           ze_module_build_log_handle_t*) {
    *made = new _ze_module_handle_t;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeModuleDestroy(ze_module_handle_t module) {
    delete module;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelCreate(ze_module_handle_t, const ze_kernel_desc_t* desc, ze_kernel_handle_t* made) {
    auto* kernel = new _ze_kernel_handle_t;
    kernel->busy = std::strcmp(desc->pKernelName, "busy") == 0;
    *made = kernel;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelDestroy(ze_kernel_handle_t kernel) {
    delete kernel;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t, uint32_t, uint32_t, uint32_t) { return ZE_RESULT_SUCCESS; }

ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t kernel, uint32_t index, size_t size, const void* value) {
    if (index >= 4 || size > 8) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    kernel->arguments[index] = 0;
    std::memcpy(&kernel->arguments[index], value, size);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t* desc, uint32_t,
                              ze_device_handle_t*, ze_event_pool_handle_t* made) {
    if (!FAKE_GOOD(context, kContext)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (fake::g_settings.no_events) return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    auto* pool = new _ze_event_pool_handle_t;
    pool->context = context;
    pool->count = desc->count;
    context->objects.fetch_add(1);
    *made = pool;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeEventPoolDestroy(ze_event_pool_handle_t pool) {
    if (!FAKE_GOOD(pool, kPool)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (pool->events.load() != 0) fake::misuse("zeEventPoolDestroy with %d events in it", pool->events.load());
    pool->context->objects.fetch_sub(1);
    delete pool;
    return ZE_RESULT_SUCCESS;
}
}
