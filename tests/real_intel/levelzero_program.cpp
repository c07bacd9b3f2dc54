// A Level Zero program for run.py: prints what each call returns.
//
//   levelzero_program linked    calls the loader's functions
//   levelzero_program tables    asks the loader for tables of functions, as the static loader does
#include <dlfcn.h>
#include <level_zero/ze_ddi.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

constexpr int kMany = 40;  // more than a window holds

void say(const char* call, ze_result_t result) { std::printf("%s: %x\n", call, static_cast<unsigned>(result)); }
#define SAY(call) say(#call, call)

struct Device {
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    void* to = nullptr;
    void* from = nullptr;
};

void use_queue(const Device& it, ze_event_handle_t event) {
    ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_queue_handle_t queue = nullptr;
    SAY(zeCommandQueueCreate(it.context, it.device, &desc, &queue));
    ze_command_list_desc_t list_desc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list = nullptr;
    SAY(zeCommandListCreate(it.context, it.device, &list_desc, &list));
    SAY(zeCommandListAppendMemoryCopy(list, it.to, it.from, 64, event, 0, nullptr));
    SAY(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    SAY(zeCommandListClose(list));
    ze_fence_desc_t fence_desc{ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence = nullptr;
    SAY(zeFenceCreate(queue, &fence_desc, &fence));
    for (int i = 0; i < kMany; ++i) SAY(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr));
    SAY(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    SAY(zeFenceHostSynchronize(fence, UINT64_MAX));
    SAY(zeCommandQueueSynchronize(queue, UINT64_MAX));
    SAY(zeFenceDestroy(fence));
    SAY(zeCommandListDestroy(list));
    SAY(zeCommandQueueDestroy(queue));
}

void use_list(const Device& it, ze_event_handle_t event) {
    ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_handle_t list = nullptr;
    SAY(zeCommandListCreateImmediate(it.context, it.device, &desc, &list));
    const int pattern = 1;
    for (int i = 0; i < kMany; ++i) {
        SAY(zeCommandListAppendMemoryCopy(list, it.to, it.from, 64, nullptr, 0, nullptr));
        SAY(zeCommandListAppendMemoryFill(list, it.to, &pattern, sizeof pattern, 64, event, 0, nullptr));
    }
    SAY(zeCommandListAppendMemoryCopy(list, it.to, it.from, 64, nullptr, 1, &event));
    SAY(zeEventHostSignal(event));
    SAY(zeEventHostSynchronize(event, UINT64_MAX));
    SAY(zeCommandListDestroy(list));
}

void linked() {
    SAY(zeInit(0));
    ze_driver_handle_t driver = nullptr;
    uint32_t count = 1;
    SAY(zeDriverGet(&count, &driver));
    Device it;
    SAY(zeDeviceGet(driver, &(count = 1), &it.device));
    ze_context_desc_t context{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    SAY(zeContextCreate(driver, &context, &it.context));
    ze_device_mem_alloc_desc_t on_device{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    for (void** memory : {&it.to, &it.from})
        SAY(zeMemAllocShared(it.context, &on_device, &on_host, 4096, 64, it.device, memory));
    ze_event_pool_desc_t pool_desc{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
    ze_event_pool_handle_t pool = nullptr;
    SAY(zeEventPoolCreate(it.context, &pool_desc, 1, &it.device, &pool));
    ze_event_desc_t event_desc{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
    ze_event_handle_t event = nullptr;
    SAY(zeEventCreate(pool, &event_desc, &event));
    use_queue(it, event);
    use_list(it, event);
    SAY(zeEventDestroy(event));
    SAY(zeEventPoolDestroy(pool));
    for (void* memory : {it.to, it.from}) SAY(zeMemFree(it.context, memory));
    SAY(zeContextDestroy(it.context));
}

template <typename Table>
Table table_of(void* loader, const char* name) {
    Table table{};
    const auto fill = reinterpret_cast<ze_result_t (*)(ze_api_version_t, Table*)>(dlsym(loader, name));
    say(name, fill(ZE_API_VERSION_1_3, &table));
    return table;
}

void tables() {
    void* loader = dlopen("libze_loader.so.1", RTLD_NOW);
    SAY(reinterpret_cast<ze_result_t (*)()>(dlsym(loader, "zeLoaderInit"))());
    const auto global = table_of<ze_global_dditable_t>(loader, "zeGetGlobalProcAddrTable");
    const auto drivers = table_of<ze_driver_dditable_t>(loader, "zeGetDriverProcAddrTable");
    const auto devices = table_of<ze_device_dditable_t>(loader, "zeGetDeviceProcAddrTable");
    const auto contexts = table_of<ze_context_dditable_t>(loader, "zeGetContextProcAddrTable");
    const auto lists = table_of<ze_command_list_dditable_t>(loader, "zeGetCommandListProcAddrTable");
    const auto memory = table_of<ze_mem_dditable_t>(loader, "zeGetMemProcAddrTable");
    table_of<ze_event_pool_dditable_t>(loader, "zeGetEventPoolProcAddrTable");
    table_of<ze_event_dditable_t>(loader, "zeGetEventProcAddrTable");
    SAY(global.pfnInit(0));
    ze_driver_handle_t driver = nullptr;
    uint32_t count = 1;
    SAY(drivers.pfnGet(&count, &driver));
    Device it;
    SAY(devices.pfnGet(driver, &(count = 1), &it.device));
    ze_context_desc_t context{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    SAY(contexts.pfnCreate(driver, &context, &it.context));
    ze_device_mem_alloc_desc_t on_device{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    for (void** made : {&it.to, &it.from})
        SAY(memory.pfnAllocShared(it.context, &on_device, &on_host, 4096, 64, it.device, made));
    ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_list_handle_t list = nullptr;
    SAY(lists.pfnCreateImmediate(it.context, it.device, &desc, &list));
    for (int i = 0; i < kMany; ++i) SAY(lists.pfnAppendMemoryCopy(list, it.to, it.from, 64, nullptr, 0, nullptr));
    SAY(lists.pfnDestroy(list));
    SAY(contexts.pfnDestroy(it.context));
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    argc > 1 && std::strcmp(argv[1], "tables") == 0 ? tables() : linked();
    return 0;
}
