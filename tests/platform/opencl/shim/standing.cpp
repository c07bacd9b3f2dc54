// Commands that wait for what their device does not end are no work for it (queue/standing.h): a scheduler sees in the
// slot that the queue is not ready until the wait is over. An ordinary program under the shim, and a server that only
// looks.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "support/eventually.h"
#include "support/one_server.h"

namespace {

using namespace xsched::test;

constexpr size_t kBytes = 64;
constexpr int kWindow = 2;  // commands in flight: liveness must not depend on a large one

class Standing : public WithOneServer {
protected:
    static void SetUpTestSuite() {
        setenv("XSCHED_AUTO_XQUEUE_THRESHOLD", std::to_string(kWindow).c_str(), 1);
        WithOneServer::SetUpTestSuite();
    }
    void SetUp() override {
        ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
        ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &many), CL_SUCCESS);
        if (many > 2) many = 2;
        context = clCreateContext(nullptr, many, devices, nullptr, nullptr, nullptr);
        buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, kBytes, nullptr, nullptr);
    }
    void TearDown() override {
        clReleaseMemObject(buffer);
        clReleaseContext(context);
    }

    cl_command_queue make_queue(cl_command_queue_properties flags = 0, int device = 0) const {
        cl_command_queue queue = clCreateCommandQueue(context, devices[device], flags, nullptr);
        fill(queue);  // it has its slot from the first command on
        EXPECT_EQ(clFinish(queue), CL_SUCCESS);
        EXPECT_TRUE(eventually([&] { return !has_work(queue); }));
        return queue;
    }
    static void end(cl_command_queue queue) {
        EXPECT_EQ(clFinish(queue), CL_SUCCESS);
        EXPECT_TRUE(eventually([&] { return !has_work(queue); }));
        EXPECT_FALSE(stands_somewhere(queue));
        clReleaseCommandQueue(queue);
    }
    cl_event user_event() const { return clCreateUserEvent(context, nullptr); }
    cl_int fill(cl_command_queue queue, cl_event wait = nullptr, cl_event* event = nullptr) const {
        const cl_int value = 1;
        return clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, kBytes, wait != nullptr ? 1 : 0,
                                   wait != nullptr ? &wait : nullptr, event);
    }
    static void set(cl_event event, cl_int status = CL_COMPLETE) {
        EXPECT_EQ(clSetUserEventStatus(event, status), CL_SUCCESS);
        clReleaseEvent(event);
    }

    static void set_and_end(cl_event event, cl_command_queue queue) {
        set(event);
        end(queue);
    }

    static uint64_t pending(cl_command_queue queue) {
        const auto& slot = slot_of(queue);
        return slot.submitted - slot.completed;
    }
    static bool has_work(cl_command_queue queue) { return pending(queue) != 0; }
    static bool stands(cl_command_queue queue) {
        const auto& slot = slot_of(queue);
        return has_work(queue) && xsched::ipc::stands(slot, slot.completed);
    }
    static bool stands_somewhere(cl_command_queue queue) { return slot_of(queue).stands_at[0] != 0; }
    static bool is_ready(cl_command_queue queue) { return has_work(queue) && !stands(queue); }
    // The second queue waits for the first one, which is suspended; `state` is to hold meanwhile.
    template <typename State>
    void fill_behind(cl_command_queue first, cl_command_queue second, State state) {
        s_server->set_suspended(true);
        cl_event of_first = nullptr;
        ASSERT_EQ(fill(first, nullptr, &of_first), CL_SUCCESS);
        ASSERT_EQ(fill(second, of_first), CL_SUCCESS);
        EXPECT_TRUE(state());
        s_server->set_suspended(false);
        clReleaseEvent(of_first);
        end(first);
        end(second);
    }

    cl_platform_id platform = nullptr;
    cl_device_id devices[2] = {};
    cl_uint many = 0;
    cl_context context = nullptr;
    cl_mem buffer = nullptr;
};

TEST_F(Standing, ACommandThatWaitsForAUserEventIsNoWork) {
    cl_command_queue queue = make_queue();
    cl_event event = user_event();
    ASSERT_EQ(fill(queue, event), CL_SUCCESS);
    EXPECT_TRUE(stands(queue));
    for (int i = 0; i < 5 * kWindow; ++i) fill(queue);  // behind it
    EXPECT_TRUE(stands(queue));
    EXPECT_EQ(pending(queue), 1u + 5 * kWindow);
    set_and_end(event, queue);
}

TEST_F(Standing, WorkBeforeTheWaitIsWork) {
    cl_command_queue queue = make_queue();
    s_server->set_suspended(true);
    cl_event event = user_event();
    ASSERT_EQ(fill(queue), CL_SUCCESS);
    ASSERT_EQ(fill(queue, event), CL_SUCCESS);
    EXPECT_TRUE(is_ready(queue));
    s_server->set_suspended(false);
    EXPECT_TRUE(eventually([&] { return stands(queue); }));
    EXPECT_EQ(pending(queue), 1u);
    set_and_end(event, queue);
}

TEST_F(Standing, ASuspendedQueueIsReadyOnceTheEventIsSet) {
    cl_command_queue queue = make_queue();
    s_server->set_suspended(true);
    cl_event event = user_event();
    ASSERT_EQ(fill(queue, event), CL_SUCCESS);
    EXPECT_TRUE(stands(queue));
    const uint32_t rung = s_server->region().header.doorbell;
    const int64_t before_ns = slot_of(queue).ready_since_ns;
    s_server->region().header.watching = 1;
    set(event);
    EXPECT_TRUE(eventually([&] { return is_ready(queue); }));
    EXPECT_TRUE(eventually([&] { return s_server->region().header.doorbell != rung; }));
    EXPECT_GT(slot_of(queue).ready_since_ns, before_ns);
    let_time_pass();
    EXPECT_TRUE(has_work(queue));
    s_server->region().header.watching = 0;
    s_server->set_suspended(false);
    end(queue);
}

TEST_F(Standing, SoDoesWhatABarrierOrMarkerKeepsBack) {
    char name[64] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, nullptr);
    const int forms = std::string(name) == "Portable Computing Language" ? 2 : 3;  // the oldest ends a program there
    for (int form = 0; form < forms; ++form) {
        cl_command_queue queue = make_queue();
        cl_event event = user_event();
        cl_int code = CL_SUCCESS;
        if (form == 0) code = clEnqueueBarrierWithWaitList(queue, 1, &event, nullptr);
        if (form == 1) code = clEnqueueMarkerWithWaitList(queue, 1, &event, nullptr);
        if (form == 2) code = clEnqueueWaitForEvents(queue, 1, &event);
        ASSERT_EQ(code, CL_SUCCESS);
        EXPECT_FALSE(has_work(queue));
        ASSERT_EQ(fill(queue), CL_SUCCESS);
        EXPECT_TRUE(stands(queue)) << form;
        set_and_end(event, queue);
    }
}

TEST_F(Standing, OutOfOrderOnlyWhatWaitsStands) {
    cl_command_queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event event = user_event();
    for (int i = 0; i < 5 * kWindow; ++i) ASSERT_EQ(fill(queue, event), CL_SUCCESS);
    EXPECT_TRUE(stands(queue));
    // Commands that stand at a wait do not fill the launch window: a further command must be launched and complete,
    // since the host may set the awaited event only after that.
    cl_event other = nullptr;
    ASSERT_EQ(fill(queue, nullptr, &other), CL_SUCCESS);
    clFlush(queue);
    EXPECT_TRUE(eventually([&] {
        cl_int status = CL_QUEUED;
        clGetEventInfo(other, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        return status == CL_COMPLETE;
    }));
    clReleaseEvent(other);
    EXPECT_TRUE(eventually([&] { return stands(queue); }));
    EXPECT_EQ(pending(queue), 5u * kWindow);
    set_and_end(event, queue);
}

TEST_F(Standing, OutOfOrderABarrierKeepsAllBehindIt) {
    cl_command_queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event event = user_event();
    ASSERT_EQ(fill(queue, event), CL_SUCCESS);
    ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(fill(queue), CL_SUCCESS);
    EXPECT_TRUE(stands(queue));
    set_and_end(event, queue);
}

TEST_F(Standing, AQueueThatWaitsForAStandingOneStandsToo) {
    cl_command_queue first = make_queue();
    cl_command_queue second = make_queue();
    cl_command_queue third = make_queue();
    cl_event event = user_event();
    cl_event of_first = nullptr;
    cl_event of_second = nullptr;
    ASSERT_EQ(fill(first, event), CL_SUCCESS);
    ASSERT_EQ(fill(first, nullptr, &of_first), CL_SUCCESS);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(second, 1, &of_first, &of_second), CL_SUCCESS);
    ASSERT_EQ(fill(second), CL_SUCCESS);
    ASSERT_EQ(fill(third, of_second), CL_SUCCESS);
    for (cl_command_queue queue : {first, second, third}) EXPECT_TRUE(stands(queue));
    set(event);
    clReleaseEvent(of_first);
    clReleaseEvent(of_second);
    for (cl_command_queue queue : {first, second, third}) end(queue);
}

TEST_F(Standing, WaitingForWorkOfTheSameDeviceIsWork) {
    cl_command_queue first = make_queue();
    cl_command_queue second = make_queue();
    fill_behind(first, second, [&] { return is_ready(first) && is_ready(second); });
}

TEST_F(Standing, WaitingForAnotherDeviceIsNoWork) {
    if (many < 2) GTEST_SKIP() << "there is one device";
    cl_command_queue here = make_queue(0, 0);
    cl_command_queue there = make_queue(0, 1);
    if (slot_of(here).device == slot_of(there).device) GTEST_SKIP() << "both have the same processors";
    fill_behind(there, here, [&] { return is_ready(there) && stands(here); });
}

TEST_F(Standing, ABlockingCallStandsAsLongAsItsEventIsUnset) {
    cl_command_queue queue = make_queue();
    cl_event event = user_event();
    std::thread reader([&] {
        cl_int value = 0;
        EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 1, &event, nullptr), CL_SUCCESS);
        EXPECT_EQ(value, 1);
    });
    EXPECT_TRUE(eventually([&] { return stands(queue); }));
    EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
    reader.join();
    clReleaseEvent(event);
    end(queue);
}

TEST_F(Standing, ARefusedCommandLeavesNoStand) {
    cl_command_queue queue = make_queue();
    cl_event event = user_event();
    const cl_int value = 1;
    EXPECT_NE(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, 100 * kBytes, 1, &event, nullptr),
              CL_SUCCESS);
    EXPECT_NE(clEnqueueBarrierWithWaitList(queue, 1, nullptr, nullptr), CL_SUCCESS);
    EXPECT_TRUE(eventually([&] { return !has_work(queue); }));
    s_server->set_suspended(true);
    ASSERT_EQ(fill(queue), CL_SUCCESS);
    EXPECT_TRUE(is_ready(queue));
    s_server->set_suspended(false);
    set_and_end(event, queue);
}

TEST_F(Standing, AnEventThatIsSetAlreadyIsNoWait) {
    cl_command_queue queue = make_queue();
    cl_event event = user_event();
    EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
    s_server->set_suspended(true);
    ASSERT_EQ(fill(queue, event), CL_SUCCESS);
    EXPECT_TRUE(is_ready(queue));
    s_server->set_suspended(false);
    clReleaseEvent(event);
    end(queue);
}

TEST_F(Standing, TheWaitIsNotCountedAsTimeOfTheDevice) {
    constexpr auto kWait = std::chrono::milliseconds(300);
    cl_command_queue queue = make_queue();
    const int64_t before_ns = slot_of(queue).busy_ns;
    cl_event event = user_event();
    ASSERT_EQ(fill(queue, event), CL_SUCCESS);
    std::this_thread::sleep_for(kWait);
    set(event);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_TRUE(eventually([&] { return !has_work(queue); }));
    EXPECT_LT(slot_of(queue).busy_ns - before_ns, std::chrono::nanoseconds(kWait).count());
    end(queue);
}

// Waits for semaphores. Skipped if the platform lacks the extension (PoCL 3.1).
TEST_F(Standing, SoDoesWhatWaitsForASemaphore) {
    const auto function = [&](const char* name) { return clGetExtensionFunctionAddressForPlatform(platform, name); };
    const auto create =
        reinterpret_cast<clCreateSemaphoreWithPropertiesKHR_fn>(function("clCreateSemaphoreWithPropertiesKHR"));
    const auto wait = reinterpret_cast<clEnqueueWaitSemaphoresKHR_fn>(function("clEnqueueWaitSemaphoresKHR"));
    const auto signal = reinterpret_cast<clEnqueueSignalSemaphoresKHR_fn>(function("clEnqueueSignalSemaphoresKHR"));
    const auto release = reinterpret_cast<clReleaseSemaphoreKHR_fn>(function("clReleaseSemaphoreKHR"));
    if (create == nullptr || wait == nullptr) GTEST_SKIP() << "the platform has no semaphores";
    for (const cl_command_queue_properties flags : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        cl_command_queue queue = make_queue(flags);
        cl_command_queue other = make_queue();
        cl_semaphore_khr semaphore = create(context, nullptr, nullptr);
        cl_event event = nullptr;
        ASSERT_EQ(wait(queue, 1, &semaphore, nullptr, 0, nullptr, flags == 0 ? nullptr : &event), CL_SUCCESS);
        ASSERT_EQ(fill(queue, event), CL_SUCCESS);
        EXPECT_TRUE(stands(queue)) << flags;
        ASSERT_EQ(signal(other, 1, &semaphore, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
        if (event != nullptr) clReleaseEvent(event);
        end(queue);
        end(other);
        release(semaphore);
    }
}

}  // namespace
