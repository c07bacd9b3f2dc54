// A Level Zero context on the stand-in's GPU, and the command queues that all threads use.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fake/levelzero/fake_ze.h"
#include "order/core/sequential.h"
#include "order/core/xsched_api.h"

namespace order::levelzero {

constexpr size_t kQueues = 2;

inline constexpr XSchedOnDemand<ze_command_queue_handle_t> xsched{"libhallevelzero.so.1", "Ze"};

struct World : SequentialWorld {
    explicit World(const Options&);
    ~World();

    // Immediate lists, which the chaos sees.
    ze_command_list_handle_t make_immediate(uint32_t flags);
    void destroy_immediate(ze_command_list_handle_t list);
    ze_command_list_handle_t list() const;

    // For ChaosTogether.
    static bool chaos_available() { return say_whether(xsched().complete(), "libshimlevelzero.so"); }
    std::vector<XQueueHandle> xqueues();

    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_module_handle_t module = nullptr;
    std::array<ze_command_queue_handle_t, kQueues> queues{};
    const std::string name = "of the stand-in";

private:
    OwnHandles<ze_command_list_handle_t> immediate_;
};

// An event that the host signals a little later.
struct Signal {
    ze_event_handle_t event;
    static void perform(const Signal& it, Random& random);
};
using Signaller = Later<Signal, Signal>;
using Chaos = ChaosTogether<World, xsched>;

}  // namespace order::levelzero
