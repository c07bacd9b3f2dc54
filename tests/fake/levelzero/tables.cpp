// The functions that fill in Level Zero's tables of functions (zeGet...ProcAddrTable), which the static loader calls.
#include <level_zero/ze_ddi.h>

#include "fake/levelzero/fake_ze.h"

extern "C" {

ze_result_t zeGetCommandListProcAddrTable(ze_api_version_t, ze_command_list_dditable_t* table) {
    table->pfnCreate = zeCommandListCreate;
    table->pfnCreateImmediate = zeCommandListCreateImmediate;
    table->pfnDestroy = zeCommandListDestroy;
    table->pfnClose = zeCommandListClose;
    table->pfnReset = zeCommandListReset;
    table->pfnAppendBarrier = zeCommandListAppendBarrier;
    table->pfnAppendMemoryCopy = zeCommandListAppendMemoryCopy;
    table->pfnAppendMemoryFill = zeCommandListAppendMemoryFill;
    table->pfnAppendSignalEvent = zeCommandListAppendSignalEvent;
    table->pfnAppendWaitOnEvents = zeCommandListAppendWaitOnEvents;
    table->pfnAppendEventReset = zeCommandListAppendEventReset;
    table->pfnAppendLaunchKernel = zeCommandListAppendLaunchKernel;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetCommandQueueProcAddrTable(ze_api_version_t, ze_command_queue_dditable_t* table) {
    *table = {zeCommandQueueCreate, zeCommandQueueDestroy, zeCommandQueueExecuteCommandLists,
              zeCommandQueueSynchronize};
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetDriverProcAddrTable(ze_api_version_t, ze_driver_dditable_t* table) {
    table->pfnGet = zeDriverGet;
    table->pfnGetExtensionProperties = zeDriverGetExtensionProperties;
    table->pfnGetExtensionFunctionAddress = zeDriverGetExtensionFunctionAddress;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetDeviceProcAddrTable(ze_api_version_t, ze_device_dditable_t* table) {
    table->pfnGet = zeDeviceGet;
    table->pfnGetProperties = zeDeviceGetProperties;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetMemProcAddrTable(ze_api_version_t, ze_mem_dditable_t* table) {
    table->pfnAllocHost = zeMemAllocHost;
    table->pfnFree = zeMemFree;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeGetEventProcAddrTable(ze_api_version_t, ze_event_dditable_t* table) {
    *table = {zeEventCreate,          zeEventDestroy,     zeEventHostSignal,
              zeEventHostSynchronize, zeEventQueryStatus, zeEventHostReset};
    return ZE_RESULT_SUCCESS;
}
}
