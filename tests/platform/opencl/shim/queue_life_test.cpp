// Queues come and go: release with work pending, addresses that are used again, sub-devices, many threads.
#include <atomic>
#include <optional>
#include <set>

#include "platform/opencl/shim/scheduled_queue.h"

namespace xsched::test {
namespace {

class QueueLife : public OpenClTest {};

TEST_F(QueueLife, WorkHeldBackOutlivesTheProgramsLastReference) {
    ScheduledQueue queue;
    const XQueueHandle xqueue = queue.xqueue;
    cl_event event = queue.append_suspended(6);
    ASSERT_EQ(clReleaseCommandQueue(queue.queue), CL_SUCCESS);
    queue.queue = nullptr;
    let_time_pass();
    EXPECT_GT(status_of(event), CL_COMPLETE);
    ASSERT_EQ(XQueueResume(xqueue, kQueueResumeFlagNone), kXSchedSuccess);
    EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    clReleaseEvent(event);
    XQueueState state = kQueueStateUnknown;
    XResult result = kXSchedSuccess;
    for (int i = 0; i < 2000 && result == kXSchedSuccess; ++i) {
        if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        result = XQueueQuery(xqueue, &state);
    }
    EXPECT_EQ(result, kXSchedErrorNotFound) << "the XQueue did not go";
}

TEST_F(QueueLife, OnlyTheLastReleaseLetsTheXQueueGo) {
    ScheduledQueue queue;
    ASSERT_EQ(clRetainCommandQueue(queue.queue), CL_SUCCESS);
    ASSERT_EQ(clReleaseCommandQueue(queue.queue), CL_SUCCESS);
    EXPECT_EQ(queue.state(), kQueueStateIdle);
    const int64_t before = queue.commands();
    queue.fill(3);
    EXPECT_EQ(queue.commands(), before + 1);
    EXPECT_EQ(queue.read(), queue.all(3));
}

cl_uint references_of(cl_context context) {
    cl_uint references = 0;
    EXPECT_EQ(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, nullptr),
              CL_SUCCESS);
    return references;
}

// A context's number of references is larger while a queue exists, and for a moment afterwards
// (docs/compatibility.md).
TEST_F(QueueLife, ReferencesOfAContextAreGivenBackWithTheQueue) {
    const Platform& platform = Platform::get();
    cl_context context = clCreateContext(nullptr, 1, &platform.device, nullptr, nullptr, nullptr);
    const cl_uint alone = references_of(context);
    cl_command_queue queue = clCreateCommandQueue(context, platform.device, 0, nullptr);
    const cl_int value = 1;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof value, nullptr, nullptr);
    clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, sizeof value, 0, nullptr, nullptr);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseMemObject(buffer);
    EXPECT_GT(references_of(context), alone);
    clReleaseCommandQueue(queue);
    EXPECT_TRUE(eventually([&] { return references_of(context) == alone; })) << references_of(context);
    clReleaseContext(context);
}

// More queues than there are slots for, one after another: addresses and slots are used again.
TEST_F(QueueLife, EachQueueGetsItsOwnXQueueAndGivesItBack) {
    std::set<XQueueHandle> seen;
    std::set<cl_command_queue> addresses;
    for (int i = 0; i < 1200; ++i) {
        ScheduledQueue queue;
        ASSERT_NE(queue.xqueue, 0u) << "round " << i;
        EXPECT_TRUE(seen.insert(queue.xqueue).second) << "an old handle names a new queue";
        EXPECT_EQ(queue.commands(), 1);
        addresses.insert(queue.queue);
    }
    if (addresses.size() == seen.size()) GTEST_SKIP() << "no address was used twice (a sanitizer's allocator?)";
}

TEST_F(QueueLife, AnUnusedQueueHasNoXQueue) {
    cl_command_queue queue = clCreateCommandQueue(Platform::get().context, Platform::get().device, 0, nullptr);
    HwQueueHandle hwq = 0;
    EXPECT_EQ(OclQueueGet(&hwq, queue), kXSchedErrorNotFound);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(OclQueueGet(&hwq, queue), kXSchedErrorNotFound);
    EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
}

// The program may make the XQueue itself, before its first command; the shim then schedules through that one.
TEST_F(QueueLife, AnXQueueMadeByTheProgramIsUsed) {
    cl_command_queue queue = clCreateCommandQueue(Platform::get().context, Platform::get().device, 0, nullptr);
    HwQueueHandle hwq = 0, again = 0;
    XQueueHandle xqueue = 0;
    ASSERT_EQ(OclQueueCreate(&hwq, queue), kXSchedSuccess);
    EXPECT_EQ(OclQueueCreate(&again, queue), kXSchedErrorNotAllowed);
    ASSERT_EQ(XQueueCreate(&xqueue, hwq, kPreemptLevelBlock, kQueueCreateFlagNone), kXSchedSuccess);
    cl_mem buffer = clCreateBuffer(Platform::get().context, CL_MEM_READ_WRITE, kBytes, nullptr, nullptr);
    const cl_int value = 1;
    EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, kBytes, 0, nullptr, nullptr), CL_SUCCESS);
    int64_t commands = 0;
    EXPECT_EQ(XQueueProfileHwCommandCount(xqueue, &commands), kXSchedSuccess);
    EXPECT_EQ(commands, 1);
    EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    EXPECT_EQ(XQueueProfileHwCommandCount(xqueue, &commands), kXSchedSuccess) << "it is the program's to destroy";
    EXPECT_EQ(XQueueDestroy(xqueue), kXSchedSuccess);
    EXPECT_EQ(HwQueueDestroy(hwq), kXSchedSuccess);
    clReleaseMemObject(buffer);
}

TEST_F(QueueLife, BadArgumentsOfTheHalAreRefused) {
    HwQueueHandle hwq = 0;
    EXPECT_EQ(OclQueueCreate(&hwq, nullptr), kXSchedErrorInvalidValue);
    EXPECT_EQ(OclQueueCreate(nullptr, nullptr), kXSchedErrorInvalidValue);
    EXPECT_EQ(OclQueueGet(nullptr, nullptr), kXSchedErrorInvalidValue);
}

TEST_F(QueueLife, ALevelThatOpenClLacksIsRefused) {
    ScheduledQueue queue;
    EXPECT_EQ(XQueueSetPreemptLevel(queue.xqueue, kPreemptLevelDeactivate), kXSchedErrorNotSupported);
    EXPECT_EQ(XQueueSetPreemptLevel(queue.xqueue, kPreemptLevelBlock), kXSchedSuccess);
}

TEST_F(QueueLife, DroppedCommandsDoNotRun) {
    ScheduledQueue queue;
    cl_event event = queue.append_suspended(5);
    ASSERT_EQ(XQueueResume(queue.xqueue, kQueueResumeFlagDropCommands), kXSchedSuccess);
    for (int i = 0; i < 2000 && status_of(event) > CL_COMPLETE; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_LT(status_of(event), 0);
    clReleaseEvent(event);
    EXPECT_TRUE(queue.becomes_idle());
    EXPECT_EQ(queue.read(), queue.all(0));
    queue.append(2);
    EXPECT_EQ(queue.read(), queue.all(2)) << "the queue does not work any more";
}

TEST_F(QueueLife, SubDevicesAndContextsAreScheduledLikeAnyOther) {
    const cl_device_partition_property split[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[16] = {};
    cl_uint count = 0;
    const cl_int code = clCreateSubDevices(Platform::get().device, split, 16, parts, &count);
    if (code != CL_SUCCESS) GTEST_SKIP() << "this device has no sub-devices (error " << code << ")";
    for (cl_uint i = 0; i < count && i < 2; ++i) {
        cl_context context = clCreateContext(nullptr, 1, &parts[i], nullptr, nullptr, nullptr);
        {
            ScheduledQueue queue(0, context, parts[i]);
            queue.suspend();
            cl_event event = nullptr;
            queue.fill(21, &event);
            clFlush(queue.queue);
            let_time_pass();
            EXPECT_GT(status_of(event), CL_COMPLETE);
            queue.resume();
            EXPECT_EQ(queue.read(), queue.all(21));
            clReleaseEvent(event);
        }
        clReleaseContext(context);
    }
    for (cl_uint i = 0; i < count; ++i) clReleaseDevice(parts[i]);
}

TEST_F(QueueLife, ThreadsShareQueuesWhileTheyAreSuspendedAndResumed) {
    constexpr int kThreads = 4, kRounds = 60;
    const auto after = [](int rounds) {
        cl_int element = 0;
        for (int i = 0; i < rounds; ++i) element = appended(element, 1);
        return element;
    };
    ScheduledQueue shared;
    std::optional<Disturbance> scheduler(std::in_place, shared, 500, 500);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&] {
            ScheduledQueue own;
            for (int i = 1; i <= kRounds; ++i) {
                shared.append(1);
                own.append(1);
                if (i % 20 == 0) {
                    EXPECT_EQ(own.read(), own.all(after(i)));
                    EXPECT_EQ(clFinish(shared.queue), CL_SUCCESS);
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    scheduler.reset();
    EXPECT_EQ(shared.read(), shared.all(after(kThreads * kRounds)));
    EXPECT_EQ(shared.commands(), 2 + kThreads * kRounds);
    EXPECT_TRUE(shared.becomes_idle());
}

// The first use of one queue by several threads at once makes one XQueue.
TEST_F(QueueLife, AFirstUseByManyThreadsMakesOneXQueue) {
    for (int round = 0; round < 20; ++round) {
        const Platform& platform = Platform::get();
        cl_command_queue queue = clCreateCommandQueue(platform.context, platform.device, 0, nullptr);
        cl_mem buffer = clCreateBuffer(platform.context, CL_MEM_READ_WRITE, kBytes, nullptr, nullptr);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                const cl_int value = 1;
                EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, kBytes, 0, nullptr, nullptr),
                          CL_SUCCESS);
            });
        for (std::thread& thread : threads) thread.join();
        HwQueueHandle hwq = 0;
        XQueueHandle xqueue = 0;
        int64_t commands = 0;
        ASSERT_EQ(OclQueueGet(&hwq, queue), kXSchedSuccess);
        ASSERT_EQ(XQueueGet(&xqueue, hwq), kXSchedSuccess);
        ASSERT_EQ(XQueueProfileHwCommandCount(xqueue, &commands), kXSchedSuccess);
        EXPECT_EQ(commands, 4);
        clFinish(queue);
        clReleaseCommandQueue(queue);
        clReleaseMemObject(buffer);
    }
}

}  // namespace
}  // namespace xsched::test
