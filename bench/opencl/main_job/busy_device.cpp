// Queues on OpenCL's first device of the platform's own choice; "cpu" or "gpu": of that type; "high" or "low": with
// that priority, where the driver knows priorities; "timed": it tells how long each kernel ran. "null", "own" and
// "per-thread", which other platforms tell apart, are the same here.
#include "busy_device.h"

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl_ext.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "busy_kernel.h"

namespace busy {
namespace {

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

int64_t profiled(cl_event event, cl_profiling_info what) {
    cl_ulong value = 0;
    check(clGetEventProfilingInfo(event, what, sizeof(value), &value, nullptr), "clGetEventProfilingInfo");
    return static_cast<int64_t>(value);
}

}  // namespace

const char* const BusyDevice::kHalLibrary = "libhalopencl.so.1";
const char* const BusyDevice::kHwQueueGet = "OclQueueGet";

struct BusyDevice::Parts {
    struct Range {
        size_t items = 0;
        size_t group = 0;
    };

    explicit Parts(const std::string& stream) : device(find_device(type_called(stream))) {
        cl_int code = CL_SUCCESS;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        queue = make_queue(context, device, stream);
    }
    ~Parts() {
        if (state != nullptr) clReleaseMemObject(state);
        if (kernel != nullptr) clReleaseKernel(kernel);
        if (queue != nullptr) clReleaseCommandQueue(queue);
        if (context != nullptr) clReleaseContext(context);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    void load_kernel() {
        cl_int code = CL_SUCCESS;
        cl_program program = clCreateProgramWithSource(context, 1, &kSource, nullptr, &code);
        check(code, "clCreateProgramWithSource");
        check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
        kernel = clCreateKernel(program, "busy", &code);
        check(code, "clCreateKernel");
        check(clReleaseProgram(program), "clReleaseProgram");  // the kernel keeps it
    }
    // Several work-groups for each compute unit, so that all are busy until the kernel's end.
    void fill_device(unsigned waves) {
        const bool cpu = (device_info<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
        range.group = std::min<size_t>(cpu ? 64 : 256, device_info<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
        range.items = waves * range.group * 8 * device_info<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
        std::vector<uint32_t> start(range.items);
        for (size_t i = 0; i < range.items; ++i) start[i] = static_cast<uint32_t>(i);
        cl_int code = CL_SUCCESS;
        state = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, range.items * sizeof(uint32_t),
                               start.data(), &code);
        check(code, "clCreateBuffer");
        check(clSetKernelArg(kernel, 0, sizeof(state), &state), "clSetKernelArg");
    }

    const cl_device_id device;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
    cl_kernel kernel = nullptr;
    cl_mem state = nullptr;
    Range range;  // of each kernel
};

BusyDevice::BusyDevice(const std::string& stream, unsigned waves) : parts_(std::make_unique<Parts>(stream)) {
    parts_->load_kernel();
    parts_->fill_device(waves);
    enqueue(1);  // the driver compiles the kernel at its first launch
    finish();
}

BusyDevice::~BusyDevice() = default;

void BusyDevice::enqueue(uint32_t steps, Event* event) {
    cl_event made = nullptr;
    check(clSetKernelArg(parts_->kernel, 1, sizeof(steps), &steps), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(parts_->queue, parts_->kernel, 1, nullptr, &parts_->range.items, &parts_->range.group,
                                 0, nullptr, event != nullptr ? &made : nullptr),
          "clEnqueueNDRangeKernel");
    if (event != nullptr) *event = made;
    check(clFlush(parts_->queue), "clFlush");  // otherwise a driver may keep it back until a thread waits
    steps_taken_ += steps;
}

void BusyDevice::attach_thread() {}
void BusyDevice::wait_only(Event event) {
    const auto waited = static_cast<cl_event>(event);
    check(clWaitForEvents(1, &waited), "clWaitForEvents");
}
int64_t BusyDevice::device_ns(Event event) const {
    const auto complete = static_cast<cl_event>(event);
    return profiled(complete, CL_PROFILING_COMMAND_END) - profiled(complete, CL_PROFILING_COMMAND_START);
}
void BusyDevice::recycle(Event event) { clReleaseEvent(static_cast<cl_event>(event)); }
void BusyDevice::wait(Event event) {
    wait_only(event);
    recycle(event);
}

void BusyDevice::finish() { check(clFinish(parts_->queue), "clFinish"); }
void* BusyDevice::queue() const { return parts_->queue; }

uint32_t BusyDevice::calibrate(double milliseconds) {
    double steps = 1000;
    for (int round = 0; round < kCalibrationRounds; ++round) {
        std::vector<int64_t> lengths;
        for (int i = 0; i < kCalibrationKernels; ++i) {
            Event event = nullptr;
            enqueue(static_cast<uint32_t>(steps), &event);
            wait_only(event);
            lengths.push_back(std::max<int64_t>(device_ns(event), 1));
            recycle(event);
        }
        std::sort(lengths.begin(), lengths.end());
        const double factor = milliseconds * 1e6 / static_cast<double>(lengths[kCalibrationKernels / 2]);
        steps = std::clamp(steps * std::min(factor, 100.0), 1.0, 4e9);
    }
    return static_cast<uint32_t>(steps);
}

bool BusyDevice::state_is_right() {
    std::vector<uint32_t> state(parts_->range.items);
    check(clEnqueueReadBuffer(parts_->queue, parts_->state, CL_TRUE, 0, state.size() * sizeof(uint32_t), state.data(),
                              0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    for (size_t i = 0; i < state.size(); ++i) {
        if (state[i] != stepped(static_cast<uint32_t>(i), steps_taken_)) return false;
    }
    return true;
}

std::string BusyDevice::description() const {
    return device_text(parts_->device, CL_DEVICE_NAME) + "; " + platform_text(parts_->device, CL_PLATFORM_NAME) + "; " +
           platform_text(parts_->device, CL_PLATFORM_VERSION);
}

}  // namespace busy
