#include "order/opencl/signaller.h"

#include <atomic>
#include <chrono>
#include <deque>

#include "order/core/report.h"
#include "order/opencl/world.h"

namespace order::opencl {
namespace {

std::atomic<int64_t> g_owed{0};

void set_now(cl_event event) {
    expect_success(clSetUserEventStatus(event, CL_COMPLETE), "clSetUserEventStatus");
    expect_success(clReleaseEvent(event), "clReleaseEvent");
    g_owed.fetch_sub(1);
}

// An event to be set, and how often its callback was called. Never freed, so that a second call is noticed.
struct Promise {
    cl_event event = nullptr;
    std::atomic<int> calls{0};
};

Promise& new_promise(cl_event event) {
    static std::mutex& mutex = *new std::mutex;
    static auto& all = *new std::deque<Promise>;
    const std::lock_guard lock(mutex);
    Promise& promise = all.emplace_back();
    promise.event = event;
    return promise;
}

void CL_CALLBACK on_complete(cl_event, cl_int, void* data) {
    auto* promise = static_cast<Promise*>(data);
    if (promise->calls.fetch_add(1) != 0) {
        violation("a callback was called more than once");
    } else {
        set_now(promise->event);
    }
}

void take(cl_event event) {
    g_owed.fetch_add(1);
    expect_success(clRetainEvent(event), "clRetainEvent");
}

}  // namespace

int64_t user_events_owed() { return g_owed.load(); }

void SetEvent::perform(const cl_event& event, Random& random) {
    Activity::set("clSetUserEventStatus");
    if (random.once_in(8)) std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
    set_now(event);
}

void Signaller::set_soon(cl_event event) {
    take(event);
    add(event);
}

void Signaller::set_after(const TrackerPtr& after, cl_event event) {
    take(event);
    expect_success(clSetEventCallback(after->event(), CL_COMPLETE, &on_complete, &new_promise(event)),
                   "clSetEventCallback");
    expect_success(clFlush(after->queue()->handle), "clFlush");
}

}  // namespace order::opencl
