// Callbacks of events and objects.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "device.h"

namespace {

using namespace cases;

constexpr int kLinks = 20;
constexpr int kEach = 40;  // kernels of a callback: more than XSched keeps in flight

// A chain: each callback enqueues the next kernels, the last of which has the next callback; and it sets a user event
// behind which a second queue stands.
struct Chain {
    void open() {
        device.open();
        second = device.make_queue();
        other_buffer = device.make_buffer();
        other = device.make_kernel(other_buffer);
    }
    void link() {
        cl_int code = CL_SUCCESS;
        gate = clCreateUserEvent(device.context, &code);
        demand(code, "clCreateUserEvent");
        Device::spin(second, other, kShort, nullptr, &gate);
        demand(clFlush(second), "clFlush");
        cl_event last = nullptr;
        for (int i = 0; i < kEach; ++i) device.spin(kShort, i + 1 == kEach ? &last : nullptr);
        demand(clSetEventCallback(last, CL_COMPLETE, called_back, this), "clSetEventCallback");
        demand(clFlush(device.queue), "clFlush");
    }
    static void CL_CALLBACK called_back(cl_event event, cl_int status, void* chain) {
        demand(status, "the command");
        demand(clReleaseEvent(event), "clReleaseEvent");
        static_cast<Chain*>(chain)->next();
    }
    void next() {
        demand(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
        demand(clReleaseEvent(gate), "clReleaseEvent");
        if (++calls < kLinks) return link();
        const std::lock_guard<std::mutex> lock(mutex);
        over = true;
        ended.notify_one();
    }

    Device device;
    cl_command_queue second = nullptr;
    cl_mem other_buffer = nullptr;
    cl_kernel other = nullptr;
    cl_event gate = nullptr;
    int calls = 0;
    std::mutex mutex;
    std::condition_variable ended;
    bool over = false;
};

int chain() {
    static Chain it;
    it.open();
    it.link();
    {
        std::unique_lock<std::mutex> lock(it.mutex);
        it.ended.wait(lock, [] { return it.over; });
    }
    demand(clFinish(it.second), "clFinish");
    say(std::to_string(it.calls) + " callbacks, " + it.device.result() + ", " + it.device.result_of(it.other_buffer));
    return 0;
}

constexpr std::chrono::seconds kPatience{20};  // safety: callbacks come within milliseconds

// Counts the calls of a callback, and waits until there were as many as expected.
class Calls {
public:
    void add() {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++count_;
        changed_.notify_one();
    }
    int wait_for(int count) {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait_for(lock, kPatience, [&] { return count_ >= count; });
        return count_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_ = 0;
};

Calls g_events;
Calls g_memory;
Calls g_contexts;

void CL_CALLBACK release_event(cl_event event, cl_int, void*) {
    demand(clReleaseEvent(event), "clReleaseEvent");
    g_events.add();
}
void CL_CALLBACK memory_is_gone(cl_mem, void*) { g_memory.add(); }
void CL_CALLBACK context_is_gone(cl_context, void*) { g_contexts.add(); }

// Registers callbacks for events that are already complete; each callback releases its event.
void release_completed_events(const Device& device) {
    cl_event event = nullptr;
    device.spin(kShort, &event);
    demand(clWaitForEvents(1, &event), "clWaitForEvents");
    demand(clSetEventCallback(event, CL_COMPLETE, release_event, nullptr), "clSetEventCallback");
    g_events.wait_for(1);
    cl_int code = CL_SUCCESS;
    cl_event own = clCreateUserEvent(device.context, &code);
    demand(code, "clCreateUserEvent");
    demand(clSetUserEventStatus(own, CL_COMPLETE), "clSetUserEventStatus");
    demand(clSetEventCallback(own, CL_COMPLETE, release_event, nullptr), "clSetEventCallback");
    say("event callbacks " + std::to_string(g_events.wait_for(2)));
}

// Checks the callbacks for the end of memory and context. The driver calls them when the last reference is gone, so
// XSched may keep no reference.
void release_objects(const Device& device) {
    demand(clSetMemObjectDestructorCallback(device.buffer, memory_is_gone, nullptr), "the memory's callback");
    demand(clSetContextDestructorCallback(device.context, context_is_gone, nullptr), "the context's callback");
    device.spin(kShort);
    device.finish();
    device.close();
    say("destructor callbacks " + std::to_string(g_memory.wait_for(1)) + ", " + std::to_string(g_contexts.wait_for(1)));
}

int completed() {
    Device device;
    device.open();
    release_completed_events(device);
    release_objects(device);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    constexpr Case kCases[] = {{"chain", chain}, {"completed", completed}};
    return run_case(kCases, argc, argv);
}
