// XSched's own declarations of Level Zero's types, beside those of the vendor's header.
#include <gtest/gtest.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>

#include <cstddef>

#include "platform/levelzero/hal/gate.h"

namespace {

namespace ours = xsched::levelzero;

#define SAME_SIZE(type) static_assert(sizeof(ours::type) == sizeof(::type))
#define SAME_PLACE(type, member) static_assert(offsetof(ours::type, member) == offsetof(::type, member))
#define SAME_VALUE(name) static_assert(ours::name == static_cast<uint32_t>(::name))

SAME_SIZE(ze_group_count_t);
SAME_SIZE(ze_command_queue_desc_t);
SAME_PLACE(ze_command_queue_desc_t, ordinal);
SAME_PLACE(ze_command_queue_desc_t, flags);
SAME_PLACE(ze_command_queue_desc_t, priority);
SAME_SIZE(ze_context_desc_t);
SAME_PLACE(ze_context_desc_t, flags);
SAME_SIZE(ze_host_mem_alloc_desc_t);
SAME_PLACE(ze_host_mem_alloc_desc_t, flags);
SAME_SIZE(ze_command_list_desc_t);
SAME_PLACE(ze_command_list_desc_t, commandQueueGroupOrdinal);
SAME_SIZE(ze_event_pool_desc_t);
SAME_PLACE(ze_event_pool_desc_t, flags);
SAME_PLACE(ze_event_pool_desc_t, count);
SAME_SIZE(ze_event_desc_t);
SAME_PLACE(ze_event_desc_t, index);
SAME_SIZE(ze_device_properties_t);
SAME_PLACE(ze_device_properties_t, type);
SAME_PLACE(ze_device_properties_t, uuid);
SAME_PLACE(ze_device_properties_t, name);
SAME_SIZE(ze_pci_ext_properties_t);
static_assert(offsetof(ours::ze_pci_ext_properties_t, domain) == offsetof(::ze_pci_ext_properties_t, address));

SAME_VALUE(ZE_RESULT_SUCCESS);
SAME_VALUE(ZE_RESULT_NOT_READY);
SAME_VALUE(ZE_RESULT_ERROR_UNINITIALIZED);
SAME_VALUE(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
SAME_VALUE(ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
SAME_VALUE(ZE_STRUCTURE_TYPE_CONTEXT_DESC);
SAME_VALUE(ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
SAME_VALUE(ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
SAME_VALUE(ZEL_HANDLE_COMMAND_LIST);
SAME_VALUE(ZEL_HANDLE_EVENT);
SAME_VALUE(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
SAME_VALUE(ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC);
SAME_VALUE(ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
SAME_VALUE(ZE_STRUCTURE_TYPE_EVENT_DESC);
SAME_VALUE(ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
SAME_VALUE(ZE_DEVICE_TYPE_GPU);
SAME_VALUE(ZE_DEVICE_TYPE_CPU);
SAME_VALUE(ZE_DEVICE_TYPE_FPGA);
SAME_VALUE(ZE_DEVICE_TYPE_MCA);
SAME_VALUE(ZE_DEVICE_TYPE_VPU);
SAME_VALUE(ZE_COMMAND_QUEUE_PRIORITY_NORMAL);
SAME_VALUE(ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW);
SAME_VALUE(ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
SAME_VALUE(ZE_EVENT_POOL_FLAG_HOST_VISIBLE);

// Functions that the header declares have as many arguments, each of the same size.
template <typename Ours, typename Theirs>
struct Alike : std::false_type {};
template <typename OurResult, typename... Ours, typename TheirResult, typename... Theirs>
struct Alike<OurResult (*)(Ours...), TheirResult (*)(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs)> {
    static constexpr bool kSameSizes = [] {
        if constexpr (sizeof...(Ours) == sizeof...(Theirs))
            return ((sizeof(Ours) == sizeof(Theirs)) && ...);
        else
            return false;
    }();
};

TEST(Declarations, AreTheVendors) {
#define SAME_FUNCTION(name) EXPECT_TRUE((Alike<ours::declared::name, decltype(&::name)>::kSameSizes)) << #name
    SAME_FUNCTION(zeCommandQueueCreate);
    SAME_FUNCTION(zeCommandQueueDestroy);
    SAME_FUNCTION(zeCommandQueueExecuteCommandLists);
    SAME_FUNCTION(zeCommandQueueSynchronize);
    SAME_FUNCTION(zeContextCreate);
    SAME_FUNCTION(zeDeviceGet);
    SAME_FUNCTION(zeMemAllocHost);
    SAME_FUNCTION(zeMemFree);
    SAME_FUNCTION(zeCommandListCreate);
    SAME_FUNCTION(zeCommandListCreateImmediate);
    SAME_FUNCTION(zeCommandListAppendLaunchKernel);
    SAME_FUNCTION(zeCommandListAppendLaunchCooperativeKernel);
    SAME_FUNCTION(zeCommandListAppendLaunchKernelIndirect);
    SAME_FUNCTION(zeCommandListAppendLaunchMultipleKernelsIndirect);
    SAME_FUNCTION(zeCommandListAppendMemoryCopy);
    SAME_FUNCTION(zeCommandListAppendMemoryCopyFromContext);
    SAME_FUNCTION(zeCommandListAppendMemoryCopyRegion);
    SAME_FUNCTION(zeCommandListAppendMemoryFill);
    SAME_FUNCTION(zeCommandListAppendImageCopy);
    SAME_FUNCTION(zeCommandListAppendImageCopyRegion);
    SAME_FUNCTION(zeCommandListAppendImageCopyToMemory);
    SAME_FUNCTION(zeCommandListAppendImageCopyFromMemory);
    SAME_FUNCTION(zeCommandListAppendImageCopyToMemoryExt);
    SAME_FUNCTION(zeCommandListAppendImageCopyFromMemoryExt);
    SAME_FUNCTION(zeCommandListAppendWriteGlobalTimestamp);
    SAME_FUNCTION(zeCommandListAppendQueryKernelTimestamps);
    SAME_FUNCTION(zeCommandListAppendBarrier);
    SAME_FUNCTION(zeCommandListAppendSignalEvent);
    SAME_FUNCTION(zeCommandListAppendWaitOnEvents);
    SAME_FUNCTION(zeEventPoolCreate);
    SAME_FUNCTION(zeEventCreate);
    SAME_FUNCTION(zeEventHostSynchronize);
    SAME_FUNCTION(zeFenceHostSynchronize);
    SAME_FUNCTION(zeDeviceGetProperties);
    SAME_FUNCTION(zeDevicePciGetPropertiesExt);
}

}  // namespace
