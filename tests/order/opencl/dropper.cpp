#include "order/opencl/dropper.h"

#include <chrono>

#include "order/core/report.h"
#include "order/opencl/xsched_api.h"

namespace order::opencl {
namespace {

constexpr int kRounds = 6;
constexpr uint32_t kMostAtOnce = 24;
// Each command has a word of the buffer of its own, since commands of an out-of-order queue may overlap.
constexpr size_t kBufferWords = (kRounds + 1) * kMostAtOnce;

// Again and again suspends the queue and resumes it, mostly with the flag to drop the commands held back, until told
// to stop.
void drop_at_random(XQueueHandle queue, uint64_t seed, const std::atomic<bool>& stop) {
    const Activity activity("dropper's dropper");
    Random random(seed);
    while (!stop.load()) {
        Activity::set("XQueueSuspend (dropper)");
        const int64_t flags = random.once_in(8) ? kQueueSuspendFlagSyncHwQueue : kQueueSuspendFlagNone;
        XResult result = xsched().XQueueSuspend(queue, flags);
        if (result != kXSchedSuccess) violation("XQueueSuspend of a queue to drop from returned %d", result);
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(200)));
        Activity::set("XQueueResume (drop)");
        result = xsched().XQueueResume(queue, random.once_in(4) ? kQueueResumeFlagNone : kQueueResumeFlagDropCommands);
        if (result != kXSchedSuccess) violation("XQueueResume with commands to drop returned %d", result);
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
    }
}

// The queue and its buffer do what they should when no other thread disturbs them.
void check_it_works(const Queue& queue, cl_mem buffer, uint32_t value) {
    uint32_t seen = ~value;
    cl_event filled = nullptr;
    Activity::set("using a queue after drops");
    expect_success(clEnqueueFillBuffer(queue.handle, buffer, &value, sizeof value, 0, kBufferWords * sizeof value, 0,
                                       nullptr, &filled),
                   "clEnqueueFillBuffer");
    expect_success(
        clEnqueueReadBuffer(queue.handle, buffer, CL_TRUE, sizeof value, sizeof value, &seen, 1, &filled, nullptr),
        "clEnqueueReadBuffer");
    expect_success(clReleaseEvent(filled), "clReleaseEvent");
    if (seen != value) violation("a queue whose commands were dropped does not work any more");
}

}  // namespace

Dropper::Dropper(World& world, uint64_t seed) : world_(world), random_(seed + 77), thread_([this] { loop(); }) {}

int64_t Dropper::stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return dropped_;
}

void Dropper::loop() {
    const Activity activity("dropper");
    while (!stop_.load()) {
        one_queue(*world_.contexts[random_.below(static_cast<uint32_t>(world_.contexts.size()))]);
        Activity::set("sleeping");
        std::this_thread::sleep_for(std::chrono::milliseconds(1 + random_.below(4)));
    }
}

void Dropper::enqueue(const Queue& queue, cl_mem buffer, std::vector<cl_event>& events) {
    Activity::set("enqueueing what may be dropped");
    for (uint32_t i = 0, count = 1 + random_.below(kMostAtOnce); i < count; ++i) {
        const uint32_t value = random_.next();
        const bool waits = !events.empty() && random_.once_in(4);
        cl_event event = nullptr;
        const size_t offset = next_word_++ % kBufferWords * sizeof value;
        expect_success(clEnqueueFillBuffer(queue.handle, buffer, &value, sizeof value, offset, sizeof value,
                                           waits ? 1 : 0, waits ? &events.back() : nullptr, &event),
                       "clEnqueueFillBuffer");
        if (event != nullptr) events.push_back(event);
        if (random_.once_in(8)) expect_success(clFlush(queue.handle), "clFlush");
    }
    expect_success(clFlush(queue.handle), "clFlush");  // a thread that asks for its events may not
}

// Waits for events by asking for their status: clWaitForEvents would fail for an event that ends with an error.
void Dropper::await(std::vector<cl_event>& events) {
    Activity::set("waiting for what may be dropped");
    for (cl_event event : events) {
        cl_int status = CL_QUEUED;
        for (;;) {
            expect_success(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
                           "clGetEventInfo");
            if (status <= CL_COMPLETE) break;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        if (status < 0) ++dropped_;
        expect_success(clReleaseEvent(event), "clReleaseEvent");
    }
    events.clear();
}

void Dropper::one_queue(Context& context) {
    QueuePtr queue = context.new_queue(random_);
    cl_int code = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(context.handle, CL_MEM_READ_WRITE, kBufferWords * sizeof(uint32_t), nullptr, &code);
    expect_success(code, "clCreateBuffer");
    check_it_works(*queue, buffer, random_.next());
    const XQueueHandle handle = xsched().queue_of(queue->handle);
    std::vector<cl_event> events;
    {
        std::atomic<bool> stop{false};
        std::thread dropper([&, seed = random_.next()] { drop_at_random(handle, seed, stop); });
        for (int round = 0; round < kRounds; ++round) {
            enqueue(*queue, buffer, events);
            if (random_.once_in(2)) await(events);
        }
        stop = true;
        dropper.join();
    }
    await(events);
    check_it_works(*queue, buffer, random_.next());
    // The queue is released while it is suspended. Only after that are its commands dropped or run.
    const XResult result = xsched().XQueueSuspend(handle, kQueueSuspendFlagNone);
    if (result != kXSchedSuccess) violation("XQueueSuspend of a queue to release returned %d", result);
    enqueue(*queue, buffer, events);
    queue.reset();
    xsched().XQueueResume(handle, random_.once_in(2) ? kQueueResumeFlagNone : kQueueResumeFlagDropCommands);
    await(events);
    expect_success(clReleaseMemObject(buffer), "clReleaseMemObject");
    count_operation();
}

}  // namespace order::opencl
