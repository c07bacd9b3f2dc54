#include "platform/levelzero/shim/tables.h"

#include <cerrno>
#include <utility>

#include "platform/levelzero/hal/hal_abi.h"
#include "platform/levelzero/shim/entry_points.h"

namespace xsched::levelzero {
namespace {

enum Table : uint32_t {
    kCommandList,
    kCommandListExp,
    kCommandQueue,
    kFence,
    kEventPool,
    kEvent,
    kContext,
    kDevice,
    kDriver,
    kMem,
    kTables
};

constexpr const char* kFillers[kTables] = {
    "zeGetCommandListProcAddrTable", "zeGetCommandListExpProcAddrTable", "zeGetCommandQueueProcAddrTable",
    "zeGetFenceProcAddrTable",       "zeGetEventPoolProcAddrTable",      "zeGetEventProcAddrTable",
    "zeGetContextProcAddrTable",     "zeGetDeviceProcAddrTable",         "zeGetDriverProcAddrTable",
    "zeGetMemProcAddrTable",
};

// A function's place in its table (ze_ddi.h: tables only grow), and the minor version since which the table has it. A
// program's table is as long as the version that it asks for.
struct Place {
    Table table;
    uint32_t at;
    EntryPoint entry;
    uint32_t since;
};
constexpr Place kPlaces[] = {
    {kCommandList, 0, kEntry_zeCommandListCreate, 0},
    {kCommandList, 1, kEntry_zeCommandListCreateImmediate, 0},
    {kCommandList, 2, kEntry_zeCommandListDestroy, 0},
    {kCommandList, 3, kEntry_zeCommandListClose, 0},
    {kCommandList, 5, kEntry_zeCommandListAppendWriteGlobalTimestamp, 0},
    {kCommandList, 6, kEntry_zeCommandListAppendBarrier, 0},
    {kCommandList, 8, kEntry_zeCommandListAppendMemoryCopy, 0},
    {kCommandList, 9, kEntry_zeCommandListAppendMemoryFill, 0},
    {kCommandList, 10, kEntry_zeCommandListAppendMemoryCopyRegion, 0},
    {kCommandList, 11, kEntry_zeCommandListAppendMemoryCopyFromContext, 0},
    {kCommandList, 12, kEntry_zeCommandListAppendImageCopy, 0},
    {kCommandList, 13, kEntry_zeCommandListAppendImageCopyRegion, 0},
    {kCommandList, 14, kEntry_zeCommandListAppendImageCopyToMemory, 0},
    {kCommandList, 15, kEntry_zeCommandListAppendImageCopyFromMemory, 0},
    {kCommandList, 18, kEntry_zeCommandListAppendSignalEvent, 0},
    {kCommandList, 19, kEntry_zeCommandListAppendWaitOnEvents, 0},
    {kCommandList, 21, kEntry_zeCommandListAppendQueryKernelTimestamps, 0},
    {kCommandList, 22, kEntry_zeCommandListAppendLaunchKernel, 0},
    {kCommandList, 23, kEntry_zeCommandListAppendLaunchCooperativeKernel, 0},
    {kCommandList, 24, kEntry_zeCommandListAppendLaunchKernelIndirect, 0},
    {kCommandList, 25, kEntry_zeCommandListAppendLaunchMultipleKernelsIndirect, 0},
    {kCommandList, 26, kEntry_zeCommandListAppendImageCopyToMemoryExt, 3},
    {kCommandList, 27, kEntry_zeCommandListAppendImageCopyFromMemoryExt, 3},
    {kCommandList, 28, kEntry_zeCommandListHostSynchronize, 6},
    {kCommandList, 36, kEntry_zeCommandListAppendLaunchKernelWithParameters, 14},
    {kCommandList, 37, kEntry_zeCommandListAppendLaunchKernelWithArguments, 14},
    {kCommandList, 38, kEntry_zeCommandListAppendMemoryCopyWithParameters, 16},
    {kCommandList, 39, kEntry_zeCommandListAppendMemoryFillWithParameters, 16},
    {kCommandList, 40, kEntry_zeCommandListImmediateAppendCommandListsWithParameters, 16},
    {kCommandList, 45, kEntry_zeCommandListBeginGraphCaptureExt, 17},
    {kCommandList, 46, kEntry_zeCommandListBeginCaptureIntoGraphExt, 17},
    {kCommandList, 47, kEntry_zeCommandListIsGraphCaptureEnabledExt, 17},
    {kCommandList, 50, kEntry_zeCommandListAppendGraphExt, 17},
    {kCommandListExp, 1, kEntry_zeCommandListImmediateAppendCommandListsExp, 9},
    {kCommandQueue, 0, kEntry_zeCommandQueueCreate, 0},
    {kCommandQueue, 1, kEntry_zeCommandQueueDestroy, 0},
    {kCommandQueue, 2, kEntry_zeCommandQueueExecuteCommandLists, 0},
    {kCommandQueue, 3, kEntry_zeCommandQueueSynchronize, 0},
    {kFence, 2, kEntry_zeFenceHostSynchronize, 0},
    {kEventPool, 0, kEntry_zeEventPoolCreate, 0},
    {kEventPool, 1, kEntry_zeEventPoolDestroy, 0},
    {kEvent, 0, kEntry_zeEventCreate, 0},
    {kEvent, 1, kEntry_zeEventDestroy, 0},
    {kEvent, 2, kEntry_zeEventHostSignal, 0},
    {kEvent, 3, kEntry_zeEventHostSynchronize, 0},
    {kEvent, 4, kEntry_zeEventQueryStatus, 0},
    {kEvent, 5, kEntry_zeEventHostReset, 0},
    {kContext, 0, kEntry_zeContextCreate, 0},
    {kContext, 1, kEntry_zeContextDestroy, 0},
    {kDevice, 0, kEntry_zeDeviceGet, 0},
    {kDevice, 2, kEntry_zeDeviceGetProperties, 0},
    {kDriver, 0, kEntry_zeDriverGet, 0},
    {kDriver, 4, kEntry_zeDriverGetExtensionProperties, 0},
    {kDriver, 5, kEntry_zeDriverGetExtensionFunctionAddress, 1},
    {kDevice, 17, kEntry_zeDevicePciGetPropertiesExt, 3},
    {kMem, 2, kEntry_zeMemAllocHost, 0},
    {kMem, 3, kEntry_zeMemFree, 0},
};

using Fill = ze_result_t (*)(uint32_t version, void** table);

constexpr uint32_t major_of(uint32_t version) { return version >> 16; }
constexpr uint32_t minor_of(uint32_t version) { return version & 0xffff; }

// Puts our hooks into a table, and uses what was there instead of the loader's exported functions.
void take_over(Table table, uint32_t version, void** functions) {
    void* found[kEntryPointCount] = {};
    for (const Place& place : kPlaces) {
        if (place.table != table || major_of(version) != 1 || place.since > minor_of(version)) continue;
        void*& function = functions[place.at];
        void* const hook = hook_of(place.entry);
        if (function == nullptr || function == hook) continue;
        found[place.entry] = function;
        if (hook != nullptr) function = hook;
    }
    use_below(found);
}

template <Table kTable>
ze_result_t fill(uint32_t version, void** functions) {
    const auto driver = reinterpret_cast<Fill>(xze_dlsym()(xze_open_library(), kFillers[kTable]));
    const ze_result_t result = driver(version, functions);
    const int saved = errno;
    if (result == ZE_RESULT_SUCCESS && functions != nullptr && resolved()) take_over(kTable, version, functions);
    errno = saved;
    return result;
}

template <uint32_t... kAll>
const void* twin(uint32_t table, std::integer_sequence<uint32_t, kAll...>) {
    static constexpr Fill kTwins[] = {&fill<static_cast<Table>(kAll)>...};
    return reinterpret_cast<const void*>(kTwins[table]);
}

}  // namespace

const void* table_function_named(std::string_view name) {
    for (uint32_t table = 0; table < kTables; ++table)
        if (name == kFillers[table]) return twin(table, std::make_integer_sequence<uint32_t, kTables>());
    return nullptr;
}

}  // namespace xsched::levelzero
