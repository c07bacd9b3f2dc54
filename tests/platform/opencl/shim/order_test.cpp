// Order and events: what commands, markers, barriers, user events and callbacks may rely on stays so while commands
// are held back.
#include <atomic>

#include "platform/opencl/shim/scheduled_queue.h"

namespace xsched::test {
namespace {

class Order : public OpenClTest {};

TEST_F(Order, KernelArgumentsAreThoseOfTheEnqueue) {
    ScheduledQueue queue;
    queue.suspend();
    cl_int expected = 0;
    for (int i = 0; i < 50; ++i) {
        queue.append(i);
        expected = appended(expected, i);
    }
    queue.resume();
    EXPECT_EQ(queue.read(), queue.all(expected));
}

TEST_F(Order, AMarkerStaysBehindWhatIsHeldBackAndIsNoCommand) {
    for (const cl_command_queue_properties flags : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        ScheduledQueue queue(flags);
        queue.suspend();
        queue.fill(1);
        const int64_t before = queue.commands();
        cl_event marker = nullptr, barrier = nullptr, old_marker = nullptr;
        ASSERT_EQ(clEnqueueMarkerWithWaitList(queue.queue, 0, nullptr, &marker), CL_SUCCESS);
        ASSERT_EQ(clEnqueueMarker(queue.queue, &old_marker), CL_SUCCESS);
        ASSERT_EQ(clEnqueueBarrierWithWaitList(queue.queue, 0, nullptr, &barrier), CL_SUCCESS);
        EXPECT_EQ(queue.commands(), before);
        clFlush(queue.queue);
        let_time_pass();
        for (cl_event event : {marker, barrier, old_marker}) EXPECT_GT(status_of(event), CL_COMPLETE);
        queue.resume();
        for (cl_event event : {marker, barrier, old_marker}) {
            EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
            clReleaseEvent(event);
        }
    }
}

TEST_F(Order, ABarrierKeepsOutOfOrderCommandsApart) {
    ScheduledQueue queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    queue.suspend();
    for (int round = 0; round < 10; ++round) {
        queue.fill(round);
        ASSERT_EQ(clEnqueueBarrierWithWaitList(queue.queue, 0, nullptr, nullptr), CL_SUCCESS);
        queue.append(100);
        ASSERT_EQ(clEnqueueBarrier(queue.queue), CL_SUCCESS);
    }
    queue.resume();
    EXPECT_EQ(queue.read(), queue.all(appended(9, 100)));
}

TEST_F(Order, OutOfOrderCommandsFollowTheirWaitLists) {
    ScheduledQueue queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    queue.suspend();
    std::vector<cl_event> chain(1);
    queue.fill(0, &chain[0]);
    cl_int expected = 0;
    for (int i = 1; i <= 40; ++i) {
        expected = appended(expected, i);
        chain.push_back(nullptr);
        // Each command waits for all commands so far, so the wait lists also become longer than the array on the
        // shim's stack.
        queue.append(i, i, chain.data(), &chain[i]);
    }
    queue.resume();
    EXPECT_EQ(clWaitForEvents(1, &chain.back()), CL_SUCCESS);
    EXPECT_EQ(queue.read(), queue.all(expected));
    for (cl_event event : chain) clReleaseEvent(event);
}

TEST_F(Order, AUserEventAndAHoldBothHaveToGo) {
    ScheduledQueue queue;
    cl_event gate = clCreateUserEvent(Platform::get().context, nullptr);
    cl_event event = nullptr;
    queue.suspend();
    queue.append(4, 1, &gate, &event);
    clFlush(queue.queue);
    clSetUserEventStatus(gate, CL_COMPLETE);
    let_time_pass();
    EXPECT_GT(status_of(event), CL_COMPLETE) << "the hold was not in the wait list";
    queue.resume();
    EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    EXPECT_EQ(queue.read(), queue.all(4));
    for (cl_event each : {gate, event}) clReleaseEvent(each);
}

TEST_F(Order, AnEventOfAnotherQueueIsWaitedFor) {
    ScheduledQueue producer, consumer;
    producer.suspend();
    cl_event ready = nullptr, done = nullptr;
    producer.fill(11, &ready);
    clFlush(producer.queue);
    ASSERT_EQ(clEnqueueCopyBuffer(consumer.queue, producer.buffer, consumer.buffer, 0, 0, kBytes, 1, &ready, &done),
              CL_SUCCESS);
    clFlush(consumer.queue);
    let_time_pass();
    EXPECT_GT(status_of(done), CL_COMPLETE);
    producer.resume();
    EXPECT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
    EXPECT_EQ(consumer.read(), consumer.all(11));
    for (cl_event each : {ready, done}) clReleaseEvent(each);
}

TEST_F(Order, TheProgramsCallbacksComeOnceAndInOrder) {
    ScheduledQueue queue;
    struct Seen {
        std::atomic<int> calls[3] = {};
        std::atomic<bool> complete_first{false};
    } seen;
    cl_event event = nullptr;
    queue.suspend();
    queue.fill(1, &event);
    const auto count = [](cl_event, cl_int status, void* data) {
        auto* counts = static_cast<Seen*>(data);
        if (status == CL_COMPLETE && counts->calls[CL_RUNNING] == 0) counts->complete_first = true;
        ++counts->calls[status < 0 ? 0 : status];
    };
    ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, count, &seen), CL_SUCCESS);
    ASSERT_EQ(clSetEventCallback(event, CL_RUNNING, count, &seen), CL_SUCCESS);
    clFlush(queue.queue);
    let_time_pass();
    EXPECT_EQ(seen.calls[CL_COMPLETE], 0);
    queue.resume();
    EXPECT_EQ(clFinish(queue.queue), CL_SUCCESS);
    for (int i = 0; i < 2000 && seen.calls[CL_COMPLETE] == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(seen.calls[CL_COMPLETE], 1);
    EXPECT_EQ(seen.calls[CL_RUNNING], 1);
    clReleaseEvent(event);
}

TEST_F(Order, ProfilingTimesRiseAndTheHeldTimeLiesBeforeTheStart) {
    ScheduledQueue queue;
    cl_event event = queue.append_suspended(1);
    let_time_pass();
    queue.resume();
    ASSERT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    cl_ulong times[4] = {};
    const cl_profiling_info names[4] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                        CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    for (int i = 0; i < 4; ++i)
        ASSERT_EQ(clGetEventProfilingInfo(event, names[i], sizeof times[i], &times[i], nullptr), CL_SUCCESS);
    EXPECT_LE(times[0], times[1]);
    EXPECT_LE(times[1], times[2]);
    EXPECT_LE(times[2], times[3]);
    EXPECT_GE(times[2] - times[0], 15'000'000u);
    clReleaseEvent(event);
}

TEST_F(Order, EventsKeepNoReferenceOfOurs) {
    ScheduledQueue queue;
    cl_event event = nullptr;
    queue.fill(1, &event);
    queue.fill(2);  // a driver may keep the last command's event
    ASSERT_EQ(clFinish(queue.queue), CL_SUCCESS);
    cl_uint references = 0;
    for (int i = 0; i < 2000 && references != 1; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, nullptr);
    }
    EXPECT_EQ(references, 1u);
    clReleaseEvent(event);
}

template <typename Function>
Function by_name(const char* name) {
    return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(Platform::get().platform, name));
}

// Command buffers, an extension whose functions the program gets from the driver by name. Their commands go to the
// queue named in the call, or to the one they were recorded for.
TEST_F(Order, ACommandBufferIsHeldBack) {
    const auto create = by_name<clCreateCommandBufferKHR_fn>("clCreateCommandBufferKHR");
    const auto record = by_name<clCommandFillBufferKHR_fn>("clCommandFillBufferKHR");
    const auto finalize = by_name<clFinalizeCommandBufferKHR_fn>("clFinalizeCommandBufferKHR");
    const auto enqueue = by_name<clEnqueueCommandBufferKHR_fn>("clEnqueueCommandBufferKHR");
    const auto release = by_name<clReleaseCommandBufferKHR_fn>("clReleaseCommandBufferKHR");
    if (create == nullptr || enqueue == nullptr) GTEST_SKIP() << "this platform has no command buffers";
    ScheduledQueue queue;
    for (const cl_uint named : {0u, 1u}) {
        cl_int code = CL_SUCCESS;
        const cl_int value = 40 + static_cast<cl_int>(named);
        cl_command_buffer_khr commands = create(1, &queue.queue, nullptr, &code);
        ASSERT_EQ(code, CL_SUCCESS);
        ASSERT_EQ(
            record(commands, nullptr, queue.buffer, &value, sizeof value, 0, kBytes, 0, nullptr, nullptr, nullptr),
            CL_SUCCESS);
        ASSERT_EQ(finalize(commands), CL_SUCCESS);
        queue.suspend();
        const int64_t before = queue.commands();
        cl_event event = nullptr;
        ASSERT_EQ(enqueue(named, named > 0 ? &queue.queue : nullptr, commands, 0, nullptr, &event), CL_SUCCESS);
        EXPECT_EQ(queue.commands(), before + 1);
        clFlush(queue.queue);
        let_time_pass();
        EXPECT_GT(status_of(event), CL_COMPLETE);
        queue.resume();
        EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
        EXPECT_EQ(queue.read(), queue.all(value));
        clReleaseEvent(event);
        release(commands);
    }
}

}  // namespace
}  // namespace xsched::test
