#include "order/levelzero/world.h"

#include <chrono>

namespace order::levelzero {
namespace {

using GetOfList = XResult (*)(HwQueueHandle*, ze_command_list_handle_t);

XQueueHandle queue_of(ze_command_list_handle_t list) {
    static const auto get = reinterpret_cast<GetOfList>(xsched_function("libhallevelzero.so.1", "ZeListGet"));
    HwQueueHandle hwq = 0;
    XQueueHandle queue = 0;
    if (get(&hwq, list) != kXSchedSuccess || xsched().XQueueGet(&queue, hwq) != kXSchedSuccess) return 0;
    return queue;
}

}  // namespace

World::World(const Options&) {
    expect_success(zeInit(0), "zeInit");
    ze_driver_handle_t driver = nullptr;
    uint32_t count = 1;
    expect_success(zeDriverGet(&count, &driver), "zeDriverGet");
    count = 1;
    expect_success(zeDeviceGet(driver, &count, &device), "zeDeviceGet");
    ze_context_desc_t desc{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    expect_success(zeContextCreate(driver, &desc, &context), "zeContextCreate");
    ze_module_desc_t code{ZE_STRUCTURE_TYPE_MODULE_DESC};
    expect_success(zeModuleCreate(context, device, &code, &module, nullptr), "zeModuleCreate");
    for (ze_command_queue_handle_t& queue : queues) {
        ze_command_queue_desc_t it{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
        expect_success(zeCommandQueueCreate(context, device, &it, &queue), "zeCommandQueueCreate");
    }
}

World::~World() {
    for (const ze_command_queue_handle_t queue : queues)
        expect_success(zeCommandQueueDestroy(queue), "zeCommandQueueDestroy");
    expect_success(zeModuleDestroy(module), "zeModuleDestroy");
    expect_success(zeContextDestroy(context), "zeContextDestroy");
}

ze_command_list_handle_t World::make_immediate(uint32_t flags) {
    ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    desc.flags = flags;
    ze_command_list_handle_t made = nullptr;
    expect_success(zeCommandListCreateImmediate(context, device, &desc, &made), "zeCommandListCreateImmediate");
    return immediate_.add(made);
}

void World::destroy_immediate(ze_command_list_handle_t list) {
    immediate_.remove(list);
    expect_success(zeCommandListDestroy(list), "zeCommandListDestroy");
}

ze_command_list_handle_t World::list() const {
    ze_command_list_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t made = nullptr;
    expect_success(zeCommandListCreate(context, device, &desc, &made), "zeCommandListCreate");
    return made;
}

std::vector<XQueueHandle> World::xqueues() {
    std::vector<XQueueHandle> all = xsched().queues_of({queues.begin(), queues.end()});
    for (const ze_command_list_handle_t list : immediate_.all())
        if (const XQueueHandle queue = queue_of(list); queue != 0) all.push_back(queue);
    return all;
}

void Signal::perform(const Signal& it, Random& random) {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
    expect_success(zeEventHostSignal(it.event), "zeEventHostSignal");
}

}  // namespace order::levelzero
