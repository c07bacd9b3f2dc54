// How soon a suspended OpenCL queue stands still, on a CPU device: its kernels count the work-groups that ended in
// memory that the host watches. So the end of the last group is seen even if its kernel does not end. Run it with the
// shim preloaded and XSCHED_SCHEDULER=app.
//
//   guard_latency --kernel-ms 1 --seconds 5     prints {"kernel_ms", "group_us", "still_us": [...], "right"}
//
// One compute unit is left to the host's own threads, where there is one. Exit status 1 if a result is wrong or
// something fails, 77 if there is no CPU device.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "xsched/types.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kGroupsPerUnit = 64;
constexpr size_t kWarmUpLaunches = 64;  // the length of a launch is learned
constexpr int kDepth = 2;               // kernels kept in the queue

const char* kSource = R"(
__kernel void work(__global uint* runs, __global volatile uint* ended, uint steps) {
    uint x = get_group_id(0);
    for (uint i = 0; i < steps; ++i) x = x * 1664525u + 1013904223u;
    runs[get_group_id(0)] += x == 77 ? 2 : 1;
    atomic_inc(ended);
})";

void check(cl_int code, const char* call) {
    if (code != CL_SUCCESS) throw std::runtime_error(std::string(call) + " returns " + std::to_string(code));
}

double us_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}
void sleep_us(double us) { std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us)); }

class Device {
public:
    Device() {
        cl_platform_id platforms[8];
        cl_uint count = 0;
        clGetPlatformIDs(8, platforms, &count);
        cl_device_id whole = nullptr;
        for (cl_uint i = 0; i < count && whole == nullptr; ++i)
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &whole, nullptr);
        if (whole == nullptr) {
            std::printf("skipped: no OpenCL CPU device\n");
            std::exit(77);
        }
        cl_device_id device = without_one_unit(whole);
        cl_int code = CL_SUCCESS;
        cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        queue = clCreateCommandQueue(context, device, 0, &code);
        check(code, "clCreateCommandQueue");
        cl_program program = clCreateProgramWithSource(context, 1, &kSource, nullptr, &code);
        check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
        kernel_ = clCreateKernel(program, "work", &code);
        check(code, "clCreateKernel");
        runs_.resize(groups);
        const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        cl_mem runs = clCreateBuffer(context, flags, groups * sizeof(cl_uint), runs_.data(), &code);
        cl_mem ended = clCreateBuffer(context, flags, sizeof ended_, &ended_, &code);
        check(code, "clCreateBuffer");
        check(clSetKernelArg(kernel_, 0, sizeof runs, &runs), "clSetKernelArg");
        check(clSetKernelArg(kernel_, 1, sizeof ended, &ended), "clSetKernelArg");
    }

    cl_event launch(cl_uint steps) {
        cl_event event = nullptr;
        const size_t one = 1;
        check(clSetKernelArg(kernel_, 2, sizeof steps, &steps), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, kernel_, 1, nullptr, &groups, &one, 0, nullptr, &event),
              "clEnqueueNDRangeKernel");
        check(clFlush(queue), "clFlush");
        ++launches_;
        return event;
    }
    // Steps for a kernel of that length, and how long one takes, alone.
    cl_uint calibrate(double ms) {
        double steps = 1000;
        for (int round = 0; round < 5; ++round) {
            std::vector<double> took;
            for (int i = 0; i < 7; ++i) {
                const auto begin = Clock::now();
                wait(launch(static_cast<cl_uint>(steps)));
                took.push_back(us_since(begin));
            }
            std::sort(took.begin(), took.end());
            steps = std::max(1.0, steps * std::min(100.0, ms * 1000 / took[3]));
        }
        return static_cast<cl_uint>(steps);
    }
    static void wait(cl_event event) {
        check(clWaitForEvents(1, &event), "clWaitForEvents");
        clReleaseEvent(event);
    }
    cl_uint groups_ended() const { return __atomic_load_n(&ended_, __ATOMIC_SEQ_CST); }
    bool right() {
        check(clFinish(queue), "clFinish");
        for (const cl_uint runs : runs_)
            if (runs < launches_) return false;
        return groups_ended() == static_cast<cl_uint>(launches_ * groups);
    }

    cl_command_queue queue = nullptr;
    size_t groups = 0;

private:
    cl_device_id without_one_unit(cl_device_id whole) {
        cl_uint units = 1;
        clGetDeviceInfo(whole, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
        groups = kGroupsPerUnit * (units > 1 ? units - 1 : 1);
        const cl_device_partition_property part[] = {CL_DEVICE_PARTITION_BY_COUNTS,
                                                     static_cast<cl_device_partition_property>(units - 1),
                                                     CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
        cl_device_id device = nullptr;
        return units > 1 && clCreateSubDevices(whole, part, 1, &device, nullptr) == CL_SUCCESS ? device : whole;
    }

    cl_kernel kernel_ = nullptr;
    std::vector<cl_uint> runs_;
    cl_uint ended_ = 0;
    size_t launches_ = 0;
};

// Finds the XQueue of the device's command queue through XSched's C interface, and suspends and resumes it.
class OwnQueue {
public:
    explicit OwnQueue(cl_command_queue queue) {
        const auto hwqueue_get =
            find<XResult (*)(HwQueueHandle*, cl_command_queue)>("libhalopencl.so.1", "OclQueueGet");
        const auto xqueue_get = find<XResult (*)(XQueueHandle*, HwQueueHandle)>("libpreempt.so.1", "XQueueGet");
        suspend_ = find<XResult (*)(XQueueHandle, int64_t)>("libpreempt.so.1", "XQueueSuspend");
        resume_ = find<XResult (*)(XQueueHandle, int64_t)>("libpreempt.so.1", "XQueueResume");
        HwQueueHandle hwq = 0;
        check(hwqueue_get(&hwq, queue), "OclQueueGet");
        check(xqueue_get(&handle_, hwq), "XQueueGet");
    }
    void suspend() { check(suspend_(handle_, kQueueSuspendFlagNone), "XQueueSuspend"); }
    void resume() { check(resume_(handle_, kQueueResumeFlagNone), "XQueueResume"); }

private:
    template <typename F>
    static F find(const char* library, const char* name) {
        void* opened = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
        void* found = opened != nullptr ? dlsym(opened, name) : nullptr;
        if (found == nullptr) throw std::runtime_error(std::string(name) + " is not there: preload the shim");
        return reinterpret_cast<F>(found);
    }

    XQueueHandle handle_ = 0;
    XResult (*suspend_)(XQueueHandle, int64_t) = nullptr;
    XResult (*resume_)(XQueueHandle, int64_t) = nullptr;
};

// Suspends for `hold_us` and returns when, after the call, the last group ended.
double still_after(Device& device, OwnQueue& own, double hold_us) {
    const cl_uint before = device.groups_ended();
    const auto begin = Clock::now();
    own.suspend();
    double last = 0;
    for (cl_uint seen = before; us_since(begin) < hold_us;) {
        sleep_us(10);
        const cl_uint now = device.groups_ended();
        if (now != seen) last = us_since(begin);
        seen = now;
    }
    own.resume();
    return last;
}

int run(double kernel_ms, double seconds) {
    Device device;
    const cl_uint steps = device.calibrate(kernel_ms);
    for (size_t i = 0; i < kWarmUpLaunches; ++i) Device::wait(device.launch(steps));
    OwnQueue own(device.queue);
    std::atomic<bool> stop{false};
    std::vector<double> still;
    std::jthread disturbing([&] {
        std::mt19937 random(1);
        const auto begin = Clock::now();
        while (us_since(begin) < seconds * 1e6) {
            sleep_us(kernel_ms * 1000 * (3 + random() % 1000 / 250.0));
            still.push_back(still_after(device, own, (kDepth + 2) * kernel_ms * 1000 + 5000));
        }
        stop = true;
    });
    std::vector<cl_event> flying;
    while (!stop) {
        flying.push_back(device.launch(steps));
        if (flying.size() < kDepth) continue;
        Device::wait(flying.front());
        flying.erase(flying.begin());
    }
    disturbing.join();
    for (cl_event event : flying) Device::wait(event);
    const bool right = device.right();
    std::printf("{\"kernel_ms\": %g, \"group_us\": %g, \"still_us\": [", kernel_ms,
                kernel_ms * 1000 / static_cast<double>(kGroupsPerUnit));
    for (size_t i = 0; i < still.size(); ++i) std::printf("%s%.0f", i != 0 ? ", " : "", still[i]);
    std::printf("], \"right\": %s}\n", right ? "true" : "false");
    return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    double kernel_ms = 1;
    double seconds = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--kernel-ms") == 0) kernel_ms = std::atof(argv[i + 1]);
        if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    }
    try {
        return run(kernel_ms, seconds);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "guard_latency: %s\n", error.what());
        return 1;
    }
}
