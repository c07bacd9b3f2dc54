// The processor time that calls of Level Zero take on their thread. An ordinary program, which measure.py starts
// natively and with the shim. Prints one JSON object: nanoseconds per call, the least of several repeats.
//
//   fill                fills 4 bytes on an immediate list that keeps order
//   fill_with_event     the same, and signals an event of the program's
//   fill_any_order      the same as the first on a list that keeps no order
//   execute             gives a queue one closed list, which fills 4 bytes
//   event_query         of an event that is signalled
//   synchronize         of a queue that is idle
#include <level_zero/ze_api.h>

#include <cstdio>
#include <cstdlib>

#include "call_cost.h"

namespace {

using busy::cost_of;

constexpr ze_command_queue_flags_t kInOrder = 2;  // ZE_COMMAND_QUEUE_FLAG_IN_ORDER, newer than Debian 12's header

void must(ze_result_t result, const char* call) {
    if (result == ZE_RESULT_SUCCESS) return;
    std::fprintf(stderr, "host_cost: %s returned 0x%x\n", call, static_cast<unsigned>(result));
    std::_Exit(2);
}
#define MUST(call) must(call, #call)

class Program {
public:
    Program() {
        MUST(zeInit(0));
        ze_driver_handle_t driver = nullptr;
        uint32_t count = 1;
        MUST(zeDriverGet(&count, &driver));
        MUST(zeDeviceGet(driver, &(count = 1), &device_));
        ze_context_desc_t desc{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        MUST(zeContextCreate(driver, &desc, &context_));
        ze_device_mem_alloc_desc_t on_device{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
        ze_host_mem_alloc_desc_t on_host{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
        MUST(zeMemAllocShared(context_, &on_device, &on_host, 64, 64, device_, &memory_));
        ze_event_pool_desc_t pool_desc{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
        ze_event_pool_handle_t pool = nullptr;
        MUST(zeEventPoolCreate(context_, &pool_desc, 1, &device_, &pool));
        ze_event_desc_t event_desc{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, 0, 0};
        MUST(zeEventCreate(pool, &event_desc, &event_));
    }

    double fills(ze_command_queue_flags_t flags, bool with_event) const {
        ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
        desc.flags = flags;
        ze_command_list_handle_t list = nullptr;
        MUST(zeCommandListCreateImmediate(context_, device_, &desc, &list));
        const double ns = cost_of([&] { fill(list, with_event ? event_ : nullptr); }, [&] { settle(list); });
        MUST(zeCommandListDestroy(list));
        return ns;
    }
    void use_queue(double* execute_ns, double* synchronize_ns) const {
        ze_command_queue_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
        ze_command_queue_handle_t queue = nullptr;
        MUST(zeCommandQueueCreate(context_, device_, &desc, &queue));
        ze_command_list_desc_t list_desc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
        ze_command_list_handle_t list = nullptr;
        MUST(zeCommandListCreate(context_, device_, &list_desc, &list));
        fill(list, nullptr);
        MUST(zeCommandListClose(list));
        const auto synchronize = [&] { MUST(zeCommandQueueSynchronize(queue, UINT64_MAX)); };
        *execute_ns = cost_of([&] { MUST(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr)); }, synchronize);
        *synchronize_ns = cost_of(synchronize, [] {});
        MUST(zeCommandListDestroy(list));
        MUST(zeCommandQueueDestroy(queue));
    }
    double queries() const {
        MUST(zeEventHostSignal(event_));
        return cost_of([&] { MUST(zeEventQueryStatus(event_)); }, [] {});
    }

private:
    void fill(ze_command_list_handle_t list, ze_event_handle_t signal) const {
        const int pattern = 7;
        MUST(
            zeCommandListAppendMemoryFill(list, memory_, &pattern, sizeof pattern, sizeof pattern, signal, 0, nullptr));
    }
    void settle(ze_command_list_handle_t list) const {
        MUST(zeEventHostReset(event_));
        MUST(zeCommandListAppendBarrier(list, event_, 0, nullptr));
        MUST(zeEventHostSynchronize(event_, UINT64_MAX));
    }

    ze_device_handle_t device_ = nullptr;
    ze_context_handle_t context_ = nullptr;
    void* memory_ = nullptr;
    ze_event_handle_t event_ = nullptr;
};

}  // namespace

int main() {
    const Program program;
    double execute_ns = 0, synchronize_ns = 0;
    program.use_queue(&execute_ns, &synchronize_ns);
    std::printf("{\"fill\": %.1f, \"fill_with_event\": %.1f, \"fill_any_order\": %.1f, \"execute\": %.1f, ",
                program.fills(kInOrder, false), program.fills(kInOrder, true), program.fills(0, false), execute_ns);
    std::printf("\"event_query\": %.1f, \"synchronize\": %.1f}\n", program.queries(), synchronize_ns);
    return 0;
}
