// The common part of the shim's tests: the first OpenCL device with a context and a kernel, and a command queue
// together with the XQueue that the shim made for it. The test program is an ordinary OpenCL program; the shim comes in
// by LD_PRELOAD or OPENCL_LAYERS, as its CMakeLists.txt says.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/eventually.h"
#include "support/repeating.h"
#include "xsched/opencl/hal.h"
#include "xsched/xsched.h"

namespace xsched::test {

constexpr size_t kElements = 256;
constexpr size_t kBytes = kElements * sizeof(cl_int);

// One per process: the device, a context and the program with the kernel `append`. `device` is null on a machine
// without OpenCL.
struct Platform {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_program program = nullptr;

    static const Platform& get() {
        static const Platform platform = make();
        return platform;
    }

    cl_kernel kernel(const char* name) const {
        cl_int code = CL_SUCCESS;
        cl_kernel made = clCreateKernel(program, name, &code);
        EXPECT_EQ(code, CL_SUCCESS);
        return made;
    }

private:
    static Platform make() {
        static const char* const source =
            "__kernel void append(__global uint* b, uint v) {"
            "    b[get_global_id(0)] = b[get_global_id(0)] * 31 + v;"
            "}";
        Platform made;
        if (clGetPlatformIDs(1, &made.platform, nullptr) != CL_SUCCESS) return Platform{};
        if (clGetDeviceIDs(made.platform, CL_DEVICE_TYPE_ALL, 1, &made.device, nullptr) != CL_SUCCESS)
            return Platform{};
        made.context = clCreateContext(nullptr, 1, &made.device, nullptr, nullptr, nullptr);
        made.program = clCreateProgramWithSource(made.context, 1, const_cast<const char**>(&source), nullptr, nullptr);
        EXPECT_EQ(clBuildProgram(made.program, 1, &made.device, "", nullptr, nullptr), CL_SUCCESS);
        return made;
    }
};

class ScheduledQueue {
public:
    explicit ScheduledQueue(cl_command_queue_properties flags = 0, cl_context context = nullptr,
                            cl_device_id device = nullptr) {
        const Platform& platform = Platform::get();
        context_ = context != nullptr ? context : platform.context;
        cl_int code = CL_SUCCESS;
        queue = clCreateCommandQueue(context_, device != nullptr ? device : platform.device,
                                     flags | CL_QUEUE_PROFILING_ENABLE, &code);
        EXPECT_EQ(code, CL_SUCCESS);
        buffer = clCreateBuffer(context_, CL_MEM_READ_WRITE, kBytes, nullptr, &code);
        EXPECT_EQ(code, CL_SUCCESS);
        fill(0);
        EXPECT_EQ(clFinish(queue), CL_SUCCESS);
        HwQueueHandle hwq = 0;
        EXPECT_EQ(OclQueueGet(&hwq, queue), kXSchedSuccess) << "the shim is not loaded, or did not wrap the queue";
        EXPECT_EQ(XQueueGet(&xqueue, hwq), kXSchedSuccess);
    }
    ScheduledQueue(const ScheduledQueue&) = delete;
    ScheduledQueue& operator=(const ScheduledQueue&) = delete;
    ~ScheduledQueue() {
        XQueueResume(xqueue, kQueueResumeFlagNone);
        if (queue != nullptr) {
            clFinish(queue);
            clReleaseCommandQueue(queue);
        }
        clReleaseMemObject(buffer);
    }

    void suspend() { EXPECT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess); }
    void resume() { EXPECT_EQ(XQueueResume(xqueue, kQueueResumeFlagNone), kXSchedSuccess); }

    int64_t commands() const {
        int64_t count = -1;
        EXPECT_EQ(XQueueProfileHwCommandCount(xqueue, &count), kXSchedSuccess);
        return count;
    }
    XQueueState state() const {
        XQueueState now = kQueueStateUnknown;
        EXPECT_EQ(XQueueQuery(xqueue, &now), kXSchedSuccess);
        return now;
    }
    // Completions are reported by the driver's threads: idle comes soon after, not with, a returned clFinish.
    bool becomes_idle() const {
        return eventually([this] { return state() == kQueueStateIdle; });
    }

    void fill(cl_int value, cl_event* event = nullptr) {
        EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, kBytes, 0, nullptr, event), CL_SUCCESS);
    }
    // Enqueues the kernel that applies appended() to each element. The kernel object and its arguments are released
    // before this returns.
    void append(cl_int value, cl_uint count = 0, const cl_event* wait = nullptr, cl_event* event = nullptr) {
        cl_kernel kernel = Platform::get().kernel("append");
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
        clSetKernelArg(kernel, 1, sizeof value, &value);
        const size_t size = kElements;
        EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, count, wait, event), CL_SUCCESS);
        clReleaseKernel(kernel);
    }
    // Suspends the queue, and gives it a command. Returns its event.
    cl_event append_suspended(cl_int value) {
        suspend();
        cl_event event = nullptr;
        append(value, 0, nullptr, &event);
        clFlush(queue);
        return event;
    }
    std::vector<cl_int> read() {
        std::vector<cl_int> data(kElements, -1);
        EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, kBytes, data.data(), 0, nullptr, nullptr), CL_SUCCESS);
        return data;
    }
    std::vector<cl_int> all(cl_int value) const { return std::vector<cl_int>(kElements, value); }

    cl_command_queue queue = nullptr;
    cl_mem buffer = nullptr;
    XQueueHandle xqueue = 0;

private:
    cl_context context_ = nullptr;
};

// Returns what the kernel `append` makes of an element. Two appended values give another result in the other order.
inline cl_int appended(cl_int element, cl_int value) {
    return static_cast<cl_int>(static_cast<cl_uint>(element) * 31u + static_cast<cl_uint>(value));
}

inline cl_int status_of(cl_event event) {
    cl_int status = 12345;
    EXPECT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), CL_SUCCESS);
    return status;
}

class OpenClTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (Platform::get().device == nullptr) GTEST_SKIP() << "no OpenCL device on this machine";
    }
};

// Suspends and resumes a queue on a thread of its own until this object's end. Each state lasts a random time below
// the given one.
class Disturbance {
public:
    Disturbance(ScheduledQueue& queue, unsigned suspended_us, unsigned resumed_us)
        : thread_([this, &queue, suspended_us, resumed_us] {
              queue.suspend();
              std::this_thread::sleep_for(std::chrono::microseconds(random_() % suspended_us));
              queue.resume();
              std::this_thread::sleep_for(std::chrono::microseconds(random_() % resumed_us));
          }) {}

private:
    std::mt19937 random_{20260729};
    const Repeating thread_;
};

}  // namespace xsched::test
