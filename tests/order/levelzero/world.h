// A Level Zero context on the stand-in's GPU, and the command queues that all threads use.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "fake/levelzero/fake_ze.h"
#include "order/core/later.h"
#include "order/core/options.h"
#include "order/core/xsched_api.h"

namespace order::levelzero {

constexpr size_t kQueues = 2;

inline const XSched<ze_command_queue_handle_t>& xsched() {
    static const XSched<ze_command_queue_handle_t> it("libhallevelzero.so.1", "Ze");
    return it;
}

struct World {
    explicit World(const Options&);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    void check_buffers() const {}  // the workers have done that

    // Immediate lists, which the chaos sees.
    ze_command_list_handle_t make_immediate(uint32_t flags);
    void destroy_immediate(ze_command_list_handle_t list);
    std::vector<ze_command_list_handle_t> immediate_lists();
    ze_command_list_handle_t list() const;

    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_module_handle_t module = nullptr;
    std::array<ze_command_queue_handle_t, kQueues> queues{};
    const std::string name = "of the stand-in";

private:
    std::mutex mutex_;
    std::vector<ze_command_list_handle_t> immediate_;  // under mutex_
};

using GetOfList = XResult (*)(HwQueueHandle*, ze_command_list_handle_t);

// An event that the host signals a little later.
struct Signal {
    ze_event_handle_t event;
    static void perform(const Signal& it, Random& random);
};
using Signaller = Later<Signal, Signal>;

}  // namespace order::levelzero
