#include "queue/command.h"

#include <new>

#include "base/log.h"
#include "queue/handle_map.h"
#include "queue/hw_queue.h"
#include "queue/pool.h"
#include "queue/token.h"

namespace xsched::queue {
namespace {

enum State : uint32_t { kMade, kSubmitted, kLaunched, kComplete, kDropped };

// A callback command. Its references are counted: of its handle, of the queue that holds it, of the device that will
// report it, and of waiting threads.
struct CallbackCommand {
    XqCommand base{};  // first member: the queue core sees only this part
    LaunchCallback launch = nullptr;
    void* data = nullptr;
    std::atomic<HwQueueHandle> hwq{0};  // the thread that sets it has submitted the command
    HwQueue device{};                   // set before state leaves kMade
    base::FutexWord state{kMade};
    std::atomic<uint32_t> references{1};
    XqToken queue_token = 0;
};

CallbackCommand* of(XqCommand* command) { return reinterpret_cast<CallbackCommand*>(command); }

base::Mutex g_mutex;
HandleMap<CallbackCommand*>& commands() {
    static auto* kMap = new HandleMap<CallbackCommand*>;
    return *kMap;
}

void release(CallbackCommand* command) {
    if (command->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete command;
}

CallbackCommand* find(HwCommandHandle handle) {
    base::Lock lock(g_mutex);
    CallbackCommand** entry = commands().find(handle);
    if (entry == nullptr) return nullptr;
    (*entry)->references.fetch_add(1, std::memory_order_relaxed);
    return *entry;
}

void enter(CallbackCommand* command, State state) {
    command->state.store(state, std::memory_order_release);
    base::futex_wake_all(command->state);
}

// Marks the command as submitted to this queue. Returns false if it already was.
bool claim(CallbackCommand* command, HwQueueHandle hwq, const HwQueue& device) {
    HwQueueHandle nobody = 0;
    if (!command->hwq.compare_exchange_strong(nobody, hwq)) return false;
    command->device = device;
    enter(command, kSubmitted);
    return true;
}

XqToken own_token(CallbackCommand* command) { return kCommandToken | reinterpret_cast<uint64_t>(command); }

XResult call(CallbackCommand* command) {
    const XResult result = command->launch(command->hwq, command->data);
    if (result != kXSchedSuccess)
        XLOG_WARN("a callback command returned %d: it counts as complete", static_cast<int>(result));
    return result;
}

// Returns whether the command's own completion is reported. Gated devices do not report single commands: a synchronize
// tells (wait_command).
bool reports_itself(const CallbackCommand& command) { return command.device.ops->gate == nullptr; }

// Runs the program's function, then asks the device to report when its work is done; a gated device is not asked, since
// a synchronize tells. A command whose function fails, or for which the device takes no such request, counts as
// complete. Always returns success.
XResult launch_callback(XqCommand* base, void* impl, XqToken token) {
    CallbackCommand* command = of(base);
    if (!reports_itself(*command)) {
        enter(command, call(command) == kXSchedSuccess ? kLaunched : kComplete);
        return kXSchedSuccess;
    }
    command->queue_token = token;
    command->references.fetch_add(1, std::memory_order_relaxed);  // the device's
    const XResult result = call(command);
    enter(command, kLaunched);
    const XqDeviceOps& ops = *command->device.ops;
    if (result != kXSchedSuccess || ops.mark == nullptr || ops.mark(impl, own_token(command)) != kXSchedSuccess)
        complete_command(own_token(command));
    return kXSchedSuccess;
}

void destroy_callback(XqCommand* base) {
    CallbackCommand* command = of(base);
    if (command->state.load(std::memory_order_acquire) == kSubmitted) enter(command, kDropped);
    release(command);
}

constexpr XqCommandOps kCallbackOps = {launch_callback, destroy_callback};

}  // namespace

void complete_command(XqToken token) {
    auto* command = reinterpret_cast<CallbackCommand*>(token & ~kCommandToken);
    const XqToken queue_token = command->queue_token;
    enter(command, kComplete);
    release(command);
    if (queue_token != 0) complete_token(queue_token);
}

XResult create_callback_command(HwCommandHandle* handle, LaunchCallback launch, void* data) {
    if (handle == nullptr || launch == nullptr) return kXSchedErrorInvalidValue;
    auto* command = new (std::nothrow) CallbackCommand;
    if (command == nullptr) return kXSchedErrorUnknown;
    command->base.ops = &kCallbackOps;
    command->launch = launch;
    command->data = data;
    base::Lock lock(g_mutex);
    *handle = commands().insert(command);
    return kXSchedSuccess;
}

XResult destroy_command(HwCommandHandle handle) {
    CallbackCommand* command = nullptr;
    {
        base::Lock lock(g_mutex);
        CallbackCommand** entry = commands().find(handle);
        if (entry == nullptr) return kXSchedErrorNotFound;
        command = *entry;
        commands().erase(handle);
    }
    release(command);
    return kXSchedSuccess;
}

XResult submit_command(XQueue& queue, HwCommandHandle handle) {
    CallbackCommand* command = find(handle);
    if (command == nullptr) return kXSchedErrorNotFound;
    HwQueue device;
    if (!find_hw_queue(queue.hwq(), &device) || !claim(command, queue.hwq(), device)) {
        release(command);
        return kXSchedErrorNotAllowed;
    }
    XqTicket ticket;
    queue.admit_callback(ticket);
    if (ticket.verdict != kXqBuffer) {  // find took this reference for the queue; the queue now owns it
        queue.launch_owned(&command->base, ticket.token);
        if (ticket.verdict == kXqLaunch) queue.launched(ticket, kXqSucceeded);
        destroy_callback(&command->base);
        return kXSchedSuccess;
    }
    command->references.fetch_add(1, std::memory_order_relaxed);
    queue.buffer(&command->base);
    if ((queue.flags() & kQueueCreateFlagBlockingSubmit) != 0)
        while (command->state.load(std::memory_order_acquire) == kSubmitted)
            base::futex_wait(command->state, kSubmitted);
    release(command);
    return kXSchedSuccess;
}

XResult launch_command(HwQueueHandle hwq, HwCommandHandle handle) {
    HwQueue device;
    if (!find_hw_queue(hwq, &device)) return kXSchedErrorNotFound;
    CallbackCommand* command = find(handle);
    if (command == nullptr) return kXSchedErrorNotFound;
    const bool first = claim(command, hwq, device);
    if (first) launch_callback(&command->base, device.impl, 0);
    release(command);
    return first ? kXSchedSuccess : kXSchedErrorNotAllowed;
}

XResult wait_command(XQueue& queue, HwCommandHandle handle) {
    CallbackCommand* command = find(handle);
    if (command == nullptr) return kXSchedErrorNotFound;
    const HwQueueHandle hwq = command->hwq.load(std::memory_order_acquire);
    XResult result = kXSchedSuccess;
    if (hwq == 0)
        result = kXSchedErrorNotAllowed;
    else if (hwq != queue.hwq())
        result = kXSchedErrorInvalidValue;
    while (result == kXSchedSuccess) {
        const uint32_t state = command->state.load(std::memory_order_acquire);
        if (state == kComplete || state == kDropped) break;
        if (state == kLaunched && !reports_itself(*command)) {
            result = queue.wait_all();
            enter(command, kComplete);
        } else {
            base::futex_wait(command->state, state);
        }
    }
    release(command);
    return result;
}

}  // namespace xsched::queue
