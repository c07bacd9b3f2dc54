// The fake platform itself, loaded the way programs load it: through the ICD loader (OCL_ICD_VENDORS, see
// CMakeLists.txt). A fault of the fake driver is a fault of every test on top of it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "support/eventually.h"

namespace {

using xsched::test::eventually;

template <typename Function>
Function control(const char* name) {
    static void* library = dlopen(std::getenv("FAKE_CL_LIBRARY"), RTLD_LAZY);
    return reinterpret_cast<Function>(dlsym(library, name));
}
int errors() { return control<int (*)()>("fake_cl_errors")(); }
int live(const char* kind) { return control<int (*)(const char*)>("fake_cl_live")(kind); }
long calls(const char* function) { return control<long (*)(const char*)>("fake_cl_calls")(function); }

class FakeCl : public testing::Test {
protected:
    void SetUp() override { start({}); }
    void TearDown() override {
        if (queue != nullptr) clReleaseCommandQueue(queue);
        clReleaseMemObject(buffer);
        clReleaseKernel(append);
        clReleaseProgram(program);
        clReleaseContext(context);
        for (const auto& [name, value] : changed) unsetenv(name.c_str());
        control<void (*)()>("fake_cl_reload")();
        EXPECT_EQ(errors(), misuses);
        control<void (*)()>("fake_cl_clear_errors")();
        EXPECT_TRUE(eventually([] { return control<int (*)()>("fake_cl_live_objects")() == 0; }));
    }
    // Sets the environment, then makes everything the tests use, once.
    void start(const std::map<std::string, std::string>& environment) {
        for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
        changed.insert(environment.begin(), environment.end());
        control<void (*)()>("fake_cl_reload")();
        if (context != nullptr) return;
        cl_platform_id platform = nullptr;
        cl_device_id device = nullptr;
        ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
        ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
        queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
        const char* source = "__kernel void append(__global uint* b, uint v) {}";
        program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
        ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
        append = clCreateKernel(program, "append", nullptr);
        const cl_uint zero = 0;
        buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof zero, const_cast<cl_uint*>(&zero), nullptr);
        ASSERT_NE(buffer, nullptr);
    }
    cl_int run(cl_uint value, cl_uint count = 0, const cl_event* list = nullptr, cl_event* event = nullptr) {
        const size_t one = 1;
        clSetKernelArg(append, 0, sizeof buffer, &buffer);
        clSetKernelArg(append, 1, sizeof value, &value);
        return clEnqueueNDRangeKernel(queue, append, 1, nullptr, &one, nullptr, count, list, event);
    }
    cl_uint content() {
        cl_uint value = 0;
        EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr), 0);
        return value;
    }
    static cl_int status_of(cl_event event) {
        cl_int status = 99;
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        return status;
    }

    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_program program = nullptr;
    cl_kernel append = nullptr;
    cl_mem buffer = nullptr;
    std::map<std::string, std::string> changed;
    int misuses = 0;  // expected
};

TEST_F(FakeCl, InOrderQueueAppliesCommandsInOrder) {
    for (cl_uint i = 1; i <= 3; ++i) ASSERT_EQ(run(i), CL_SUCCESS);
    EXPECT_EQ(content(), (1U * 31 + 2) * 31 + 3);
}

TEST_F(FakeCl, CommandWaitsForUserEventAndQueueBehindIt) {
    cl_event gate = clCreateUserEvent(context, nullptr);
    cl_event first = nullptr, second = nullptr;
    ASSERT_EQ(run(1, 1, &gate, &first), CL_SUCCESS);
    ASSERT_EQ(run(2, 0, nullptr, &second), CL_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(status_of(first), CL_QUEUED);
    EXPECT_EQ(status_of(second), CL_QUEUED);
    clSetUserEventStatus(gate, CL_COMPLETE);
    EXPECT_EQ(content(), 1U * 31 + 2);
    for (cl_event it : {gate, first, second}) clReleaseEvent(it);
}

TEST_F(FakeCl, FailureOfAnEventInTheWaitListEndsTheCommandUnrun) {
    cl_event gate = clCreateUserEvent(context, nullptr);
    cl_event event = nullptr;
    ASSERT_EQ(run(1, 1, &gate, &event), CL_SUCCESS);
    clSetUserEventStatus(gate, -7);
    EXPECT_EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQ(status_of(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_EQ(content(), 0U);
    clReleaseEvent(gate);
    clReleaseEvent(event);
}

TEST_F(FakeCl, InjectsTheNthCallAndAnAsynchronousFailure) {
    start({{"FAKE_CL_FAIL", "clEnqueueNDRangeKernel:2:-5,clEnqueueNDRangeKernel:3:-9:async"}});
    EXPECT_EQ(run(1), CL_SUCCESS);
    EXPECT_EQ(run(2), CL_OUT_OF_RESOURCES);
    cl_event event = nullptr;
    EXPECT_EQ(run(3, 0, nullptr, &event), CL_SUCCESS);
    clFinish(queue);
    EXPECT_EQ(status_of(event), -9);
    EXPECT_EQ(content(), 1U);
    EXPECT_EQ(calls("clEnqueueNDRangeKernel"), 3);
    clReleaseEvent(event);
}

TEST_F(FakeCl, DefersUntilFlush) {
    start({{"FAKE_CL_DEFER_UNTIL_FLUSH", "1"}});
    cl_event event = nullptr;
    ASSERT_EQ(run(1, 0, nullptr, &event), CL_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(status_of(event), CL_QUEUED);
    clFlush(queue);
    for (int i = 0; i < 1000 && status_of(event) != CL_COMPLETE; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(status_of(event), CL_COMPLETE);
    clReleaseEvent(event);
}

TEST_F(FakeCl, RefusesUserEvents) {
    start({{"FAKE_CL_NO_USER_EVENTS", "1"}});
    cl_int code = 0;
    EXPECT_EQ(clCreateUserEvent(context, &code), nullptr);
    EXPECT_NE(code, CL_SUCCESS);
}

struct Called {
    std::atomic<int> count{0};
    std::thread::id thread;
};
void CL_CALLBACK note_call(cl_event, cl_int, void* data) {
    auto* called = static_cast<Called*>(data);
    called->thread = std::this_thread::get_id();
    called->count.fetch_add(1);
}

TEST_F(FakeCl, InlineCallbacksComeInTheCallThatFreesTheCommand) {
    start({{"FAKE_CL_CALLBACK_THREAD", "inline"}});
    cl_event gate = clCreateUserEvent(context, nullptr);
    cl_event event = nullptr;
    ASSERT_EQ(run(1, 1, &gate, &event), CL_SUCCESS);
    Called called;
    ASSERT_EQ(clSetEventCallback(event, CL_COMPLETE, note_call, &called), CL_SUCCESS);
    EXPECT_EQ(called.count.load(), 0);
    clSetUserEventStatus(gate, CL_COMPLETE);
    EXPECT_EQ(called.count.load(), 1);
    EXPECT_EQ(called.thread, std::this_thread::get_id());
    clReleaseEvent(gate);
    clReleaseEvent(event);
}

TEST_F(FakeCl, ReportsMisuse) {
    cl_event gate = clCreateUserEvent(context, nullptr);
    clSetUserEventStatus(gate, CL_COMPLETE);
    EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    EXPECT_EQ(errors(), 1);
    clReleaseEvent(gate);
    EXPECT_EQ(clRetainEvent(gate), CL_INVALID_EVENT);
    EXPECT_EQ(errors(), 2);
    cl_event unset = clCreateUserEvent(context, nullptr);
    cl_event event = nullptr;
    ASSERT_EQ(run(1, 1, &unset, &event), CL_SUCCESS);
    clReleaseEvent(unset);
    EXPECT_EQ(errors(), 3);
    clFinish(queue);
    EXPECT_LT(status_of(event), 0);
    clReleaseEvent(event);
    misuses = 3;
}

void CL_CALLBACK wait_inside(cl_event event, cl_int, void* data) {
    static_cast<Called*>(data)->count.fetch_add(clWaitForEvents(1, &event) == CL_SUCCESS ? 100 : 1);
}
TEST_F(FakeCl, ReportsWaitingInsideACallback) {
    cl_event event = nullptr;
    ASSERT_EQ(run(1, 0, nullptr, &event), CL_SUCCESS);
    Called called;
    clSetEventCallback(event, CL_COMPLETE, wait_inside, &called);
    for (int i = 0; i < 1000 && called.count.load() == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(called.count.load(), 1);
    misuses = 1;
    clReleaseEvent(event);
}

TEST_F(FakeCl, CountsWhatIsLeftOver) {
    const int before = live("event");
    cl_event event = nullptr;
    ASSERT_EQ(run(1, 0, nullptr, &event), CL_SUCCESS);
    clFinish(queue);
    EXPECT_EQ(live("event"), before + 1);
    clReleaseEvent(event);
    EXPECT_TRUE(eventually([] { return live("event") == 0; }));
}

TEST_F(FakeCl, QueueReleasedWithWorkInItFinishesThatWork) {
    cl_event gate = clCreateUserEvent(context, nullptr);
    cl_event event = nullptr;
    ASSERT_EQ(run(5, 1, &gate, &event), CL_SUCCESS);
    clReleaseCommandQueue(queue);
    queue = nullptr;
    clSetUserEventStatus(gate, CL_COMPLETE);
    EXPECT_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
    clReleaseEvent(gate);
    clReleaseEvent(event);
    EXPECT_TRUE(eventually([] { return live("queue") == 0; }));
}

}  // namespace
