#include "busy_device.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace busy {
namespace {

constexpr uint32_t kMultiplier = 1664525;
constexpr uint32_t kIncrement = 1013904223;
constexpr int kCalibrationRounds = 4;
constexpr int kCalibrationKernels = 9;

const char* kSource = R"(
__kernel void busy(__global uint* state, uint steps) {
    uint x = state[get_global_id(0)];
    for (uint i = 0; i < steps; ++i) x = x * 1664525u + 1013904223u;
    state[get_global_id(0)] = x;
})";

void check(cl_int code, const char* call) {
    if (code != CL_SUCCESS)
        throw std::runtime_error(std::string(call) + " failed with OpenCL error " + std::to_string(code));
}

cl_device_id find_device(cl_device_type type) {
    cl_uint count = 0;
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0)
        throw std::runtime_error("no OpenCL platform is installed: scripts/install_deps.sh installs PoCL");
    std::vector<cl_platform_id> platforms(count);
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (cl_platform_id platform : platforms) {
        cl_device_id device = nullptr;
        if (clGetDeviceIDs(platform, type, 1, &device, nullptr) == CL_SUCCESS) return device;
    }
    throw std::runtime_error("no OpenCL device of this type answers: choose another with --stream cpu or gpu");
}

template <typename T>
T device_info(cl_device_id device, cl_device_info what) {
    T value{};
    check(clGetDeviceInfo(device, what, sizeof(value), &value, nullptr), "clGetDeviceInfo");
    return value;
}

cl_device_type type_called(const std::string& stream) {
    if (stream == "cpu") return CL_DEVICE_TYPE_CPU;
    if (stream == "gpu") return CL_DEVICE_TYPE_GPU;
    return CL_DEVICE_TYPE_DEFAULT;
}

std::string platform_text(cl_device_id device, cl_platform_info what) {
    char text[512] = "";
    check(clGetPlatformInfo(device_info<cl_platform_id>(device, CL_DEVICE_PLATFORM), what, sizeof(text) - 1, text,
                            nullptr),
          "clGetPlatformInfo");
    return text;
}

std::string device_text(cl_device_id device, cl_device_info what) {
    size_t bytes = 0;
    check(clGetDeviceInfo(device, what, 0, nullptr, &bytes), "clGetDeviceInfo");
    std::string text(bytes, '\0');
    check(clGetDeviceInfo(device, what, bytes, text.data(), nullptr), "clGetDeviceInfo");
    return text.substr(0, text.find('\0'));
}

// Profiling is on: calibrate() needs it.
cl_command_queue make_queue(cl_context context, cl_device_id device, const std::string& stream) {
    cl_queue_properties properties[5] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE};
    const std::string extensions = device_text(device, CL_DEVICE_EXTENSIONS);
    const bool knows_priorities = extensions.find("cl_khr_priority_hints") != std::string::npos;
    if (knows_priorities && (stream == "high" || stream == "low")) {
        properties[2] = CL_QUEUE_PRIORITY_KHR;
        properties[3] = stream == "high" ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
    }
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, properties, &code);
    check(code, "clCreateCommandQueueWithProperties");
    return queue;
}

// `start` after `steps` generator steps: the step is composed with itself by squaring.
uint32_t advance(uint32_t start, uint64_t steps) {
    uint32_t multiplier = kMultiplier, increment = kIncrement;
    uint32_t x = start;
    for (; steps != 0; steps >>= 1) {
        if ((steps & 1) != 0) x = x * multiplier + increment;
        increment = increment * (multiplier + 1);
        multiplier *= multiplier;
    }
    return x;
}

int64_t profiled(cl_event event, cl_profiling_info what) {
    cl_ulong value = 0;
    check(clGetEventProfilingInfo(event, what, sizeof(value), &value, nullptr), "clGetEventProfilingInfo");
    return static_cast<int64_t>(value);
}

int64_t started_to_end_ns(cl_event event) {
    return profiled(event, CL_PROFILING_COMMAND_END) - profiled(event, CL_PROFILING_COMMAND_START);
}

}  // namespace

BusyDevice::BusyDevice(const std::string& stream, unsigned waves) : device_(find_device(type_called(stream))) {
    cl_int code = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = make_queue(context_, device_, stream);
    program_ = clCreateProgramWithSource(context_, 1, &kSource, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "busy", &code);
    check(code, "clCreateKernel");

    // Several work-groups for each compute unit, so that all are busy until the kernel's end.
    const bool cpu = (device_info<cl_device_type>(device_, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    group_items_ = std::min<size_t>(cpu ? 64 : 256, device_info<size_t>(device_, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    work_items_ = waves * group_items_ * 8 * device_info<cl_uint>(device_, CL_DEVICE_MAX_COMPUTE_UNITS);
    std::vector<uint32_t> start(work_items_);
    for (size_t i = 0; i < work_items_; ++i) start[i] = static_cast<uint32_t>(i);
    state_ = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, work_items_ * sizeof(uint32_t),
                            start.data(), &code);
    check(code, "clCreateBuffer");
    check(clSetKernelArg(kernel_, 0, sizeof(state_), &state_), "clSetKernelArg");
    enqueue(1);  // the driver compiles the kernel at its first launch
    finish();
}

BusyDevice::~BusyDevice() {
    if (state_ != nullptr) clReleaseMemObject(state_);
    if (kernel_ != nullptr) clReleaseKernel(kernel_);
    if (program_ != nullptr) clReleaseProgram(program_);
    if (queue_ != nullptr) clReleaseCommandQueue(queue_);
    if (context_ != nullptr) clReleaseContext(context_);
}

void BusyDevice::enqueue(uint32_t steps, cl_event* event) {
    check(clSetKernelArg(kernel_, 1, sizeof(steps), &steps), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &work_items_, &group_items_, 0, nullptr, event),
          "clEnqueueNDRangeKernel");
    check(clFlush(queue_), "clFlush");  // otherwise a driver may keep it back until a thread waits
    steps_taken_ += steps;
}

void BusyDevice::wait_only(Event event) { check(clWaitForEvents(1, &event), "clWaitForEvents"); }
int64_t BusyDevice::device_ns(Event event) const {
    cl_ulong began = 0, ended = 0;
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(began), &began, nullptr),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(ended), &ended, nullptr),
          "clGetEventProfilingInfo");
    return static_cast<int64_t>(ended - began);
}
void BusyDevice::recycle(Event event) { clReleaseEvent(event); }
void BusyDevice::wait(Event event) {
    wait_only(event);
    recycle(event);
}

void BusyDevice::finish() { check(clFinish(queue_), "clFinish"); }

uint32_t BusyDevice::calibrate(double milliseconds) {
    double steps = 1000;
    for (int round = 0; round < kCalibrationRounds; ++round) {
        std::vector<int64_t> lengths;
        for (int i = 0; i < kCalibrationKernels; ++i) {
            cl_event event = nullptr;
            enqueue(static_cast<uint32_t>(steps), &event);
            wait_only(event);
            lengths.push_back(std::max<int64_t>(started_to_end_ns(event), 1));
            recycle(event);
        }
        std::sort(lengths.begin(), lengths.end());
        const double factor = milliseconds * 1e6 / static_cast<double>(lengths[kCalibrationKernels / 2]);
        steps = std::clamp(steps * std::min(factor, 100.0), 1.0, 4e9);
    }
    return static_cast<uint32_t>(steps);
}

bool BusyDevice::state_is_right() {
    std::vector<uint32_t> state(work_items_);
    check(clEnqueueReadBuffer(queue_, state_, CL_TRUE, 0, work_items_ * sizeof(uint32_t), state.data(), 0, nullptr,
                              nullptr),
          "clEnqueueReadBuffer");
    for (size_t i = 0; i < work_items_; ++i) {
        if (state[i] != advance(static_cast<uint32_t>(i), steps_taken_)) return false;
    }
    return true;
}

std::string BusyDevice::description() const {
    return device_text(device_, CL_DEVICE_NAME) + "; " + platform_text(device_, CL_PLATFORM_NAME) + "; " +
           platform_text(device_, CL_PLATFORM_VERSION);
}

}  // namespace busy
