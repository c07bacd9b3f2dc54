#include "platform/opencl/hal/hold.h"

#include <new>
#include <utility>

#include "platform/opencl/hal/standing_events.h"
#include "queue/abi/queue_abi.h"

namespace xsched::opencl {
namespace {

base::Mutex g_mutex;
WatchedCommand* g_spare = nullptr;  // guarded by g_mutex
WatchedCommand* g_made = nullptr;   // all there ever were, guarded by g_mutex

}  // namespace

WatchedCommand* WatchedCommand::create(const ClApi& api, cl_event event, XqToken token) {
    WatchedCommand* command = nullptr;
    {
        base::Lock lock(g_mutex);
        command = g_spare;
        if (command != nullptr) {
            g_spare = command->next;
        } else {
            command = new (std::nothrow) WatchedCommand;
            if (command == nullptr) return nullptr;
            command->made_before = std::exchange(g_made, command);
        }
    }
    command->api = &api;
    command->event = event;
    command->token = token;
    command->next = nullptr;
    command->reported.store(false, std::memory_order_relaxed);
    command->owners.store(2, std::memory_order_relaxed);
    return command;
}

void WatchedCommand::report() {
    if (reported.exchange(true, std::memory_order_acq_rel)) return;
    xq_complete(token);
    forget_standing_event(event);
    api->clReleaseEvent(event);
}

void WatchedCommand::disown() {
    if (owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    base::Lock lock(g_mutex);
    next = std::exchange(g_spare, this);
}

Hold* Hold::create(const ClApi& api, cl_context context, cl_int* code) {
    cl_event event = api.clCreateUserEvent(context, code);
    if (event == nullptr) return nullptr;
    auto* hold = new (std::nothrow) Hold(api, event);
    if (hold != nullptr) return hold;
    *code = CL_OUT_OF_HOST_MEMORY;
    api.clReleaseEvent(event);
    return nullptr;
}

Hold::~Hold() {
    for (WatchedCommand* command = watched_; command != nullptr;) std::exchange(command, command->next)->disown();
    api_.clReleaseEvent(event_);
}

cl_int Hold::drop() {
    const cl_int code = api_.clSetUserEventStatus(event_, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    WatchedCommand* dropped = nullptr;
    {
        base::Lock lock(mutex_);
        dropped_ = true;
        dropped = std::exchange(watched_, nullptr);
    }
    while (dropped != nullptr) {
        WatchedCommand* command = std::exchange(dropped, dropped->next);
        command->report();
        command->disown();
    }
    return code;
}

WatchedCommand* Hold::watch(cl_event event, XqToken token) {
    WatchedCommand* command = WatchedCommand::create(api_, event, token);
    if (command == nullptr) return nullptr;
    {
        base::Lock lock(mutex_);
        if (!dropped_) {
            command->next = std::exchange(watched_, command);
            return command;
        }
    }
    command->report();  // dropped while the driver's call ran
    command->disown();
    return command;
}

}  // namespace xsched::opencl
