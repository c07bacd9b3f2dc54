// A Level Zero context on the stand-in's GPU, and the command queues that all threads use.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "fake/levelzero/fake_ze.h"
#include "order/core/chaos.h"
#include "order/core/later.h"
#include "order/core/options.h"
#include "order/core/xsched_api.h"

namespace order::levelzero {

constexpr size_t kQueues = 2;

inline constexpr XSchedOnDemand<ze_command_queue_handle_t> xsched{"libhallevelzero.so.1", "Ze"};

struct World {
    explicit World(const Options&);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    void check_buffers() const {}  // the workers have done that

    // Immediate lists, which the chaos sees.
    ze_command_list_handle_t make_immediate(uint32_t flags);
    void destroy_immediate(ze_command_list_handle_t list);
    ze_command_list_handle_t list() const;

    // For ChaosTogether. A list may be destroyed once xqueues() has found its queue.
    static constexpr bool kQueuesStay = false;
    static bool chaos_available() { return say_whether(xsched().complete(), "libshimlevelzero.so"); }
    static int64_t suspend_flags(Random&) { return kQueueSuspendFlagNone; }
    std::vector<XQueueHandle> xqueues();

    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_module_handle_t module = nullptr;
    std::array<ze_command_queue_handle_t, kQueues> queues{};
    const std::string name = "of the stand-in";

private:
    std::vector<ze_command_list_handle_t> immediate_lists();

    std::mutex mutex_;
    std::vector<ze_command_list_handle_t> immediate_;  // under mutex_
};

// An event that the host signals a little later.
struct Signal {
    ze_event_handle_t event;
    static void perform(const Signal& it, Random& random);
};
using Signaller = Later<Signal, Signal>;
using Chaos = ChaosTogether<World, xsched>;

}  // namespace order::levelzero
