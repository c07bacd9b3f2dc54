#include "busy_device.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <stdexcept>

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
    throw std::runtime_error("no OpenCL device of this type answers: choose another with --device");
}

template <typename T>
T device_info(cl_device_id device, cl_device_info what) {
    T value{};
    check(clGetDeviceInfo(device, what, sizeof(value), &value, nullptr), "clGetDeviceInfo");
    return value;
}

std::string platform_text(cl_device_id device, cl_platform_info what) {
    char text[512] = "";
    check(clGetPlatformInfo(device_info<cl_platform_id>(device, CL_DEVICE_PLATFORM), what, sizeof(text) - 1, text,
                            nullptr),
          "clGetPlatformInfo");
    return text;
}

std::string device_name(cl_device_id device) {
    char text[512] = "";
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(text) - 1, text, nullptr), "clGetDeviceInfo");
    return text;
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

}  // namespace

int64_t now_ns() {
    timespec ts{};
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return int64_t{ts.tv_sec} * 1'000'000'000 + ts.tv_nsec;
}

BusyDevice::BusyDevice(cl_device_type type) : device_(find_device(type)) {
    cl_int code = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &code);
    check(code, "clCreateCommandQueue");
    program_ = clCreateProgramWithSource(context_, 1, &kSource, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "busy", &code);
    check(code, "clCreateKernel");

    // Several work-groups for each compute unit, so that all are busy until the kernel's end.
    const bool cpu = (device_info<cl_device_type>(device_, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    group_items_ = std::min<size_t>(cpu ? 64 : 256, device_info<size_t>(device_, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    work_items_ = group_items_ * 8 * device_info<cl_uint>(device_, CL_DEVICE_MAX_COMPUTE_UNITS);
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
    steps_taken_ += steps;
}

void BusyDevice::flush() { check(clFlush(queue_), "clFlush"); }
void BusyDevice::finish() { check(clFinish(queue_), "clFinish"); }

uint32_t BusyDevice::calibrate(double milliseconds) {
    double steps = 1000;
    for (int round = 0; round < kCalibrationRounds; ++round) {
        std::vector<int64_t> lengths;
        for (int i = 0; i < kCalibrationKernels; ++i) {
            cl_event event = nullptr;
            enqueue(static_cast<uint32_t>(steps), &event);
            check(clWaitForEvents(1, &event), "clWaitForEvents");
            lengths.push_back(std::max<int64_t>(started_to_end_ns(event), 1));
            clReleaseEvent(event);
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
    return device_name(device_) + "; " + platform_text(device_, CL_PLATFORM_NAME) + "; " +
           platform_text(device_, CL_PLATFORM_VERSION);
}

int64_t queued_to_start_ns(cl_event event) {
    return profiled(event, CL_PROFILING_COMMAND_START) - profiled(event, CL_PROFILING_COMMAND_QUEUED);
}

int64_t started_to_end_ns(cl_event event) {
    return profiled(event, CL_PROFILING_COMMAND_END) - profiled(event, CL_PROFILING_COMMAND_START);
}

void wait_and_release(cl_event event) {
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    clReleaseEvent(event);
}

Arguments parse_arguments(int count, char** values) {
    Arguments a;
    const std::map<std::string, std::function<void(const std::string&)>> known = {
        {"--out", [&](const std::string& v) { a.out = v; }},
        {"--seconds", [&](const std::string& v) { a.seconds = std::stod(v); }},
        {"--bursts", [&](const std::string& v) { a.bursts = std::stol(v); }},
        {"--steps", [&](const std::string& v) { a.steps = static_cast<uint32_t>(std::stoul(v)); }},
        {"--kernel-ms", [&](const std::string& v) { a.kernel_ms = std::stod(v); }},
        {"--burst-kernels", [&](const std::string& v) { a.burst_kernels = std::stol(v); }},
        {"--period-ms", [&](const std::string& v) { a.period_ms = std::stod(v); }},
        {"--sync-every", [&](const std::string& v) { a.sync_every = std::stol(v); }},
        {"--depth", [&](const std::string& v) { a.depth = std::stol(v); }},
        {"--calibrate", [&](const std::string& v) { a.calibrate = v == "1"; }},
        {"--until-eof", [&](const std::string& v) { a.until_eof = v == "1"; }},
        {"--device",
         [&](const std::string& v) {
             a.device = v == "gpu" ? CL_DEVICE_TYPE_GPU : v == "cpu" ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_DEFAULT;
         }},
    };
    for (int i = 1; i < count; i += 2) {
        const auto option = known.find(values[i]);
        try {
            if (option == known.end() || i + 1 >= count) throw std::invalid_argument("");
            option->second(values[i + 1]);
        } catch (const std::exception&) {
            fprintf(stderr, "%s: \"%s\" is no option or its value is missing or no number; options: ", values[0],
                    values[i]);
            for (const auto& [name, apply] : known) fprintf(stderr, "%s ", name.c_str());
            fprintf(stderr, "\n");
            exit(2);
        }
    }
    return a;
}

void write_rows(const std::string& path, const std::vector<std::vector<int64_t>>& rows) {
    if (path.empty()) return;
    FILE* file = fopen(path.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + path + ": " + strerror(errno));
    for (const auto& row : rows) {
        for (size_t i = 0; i < row.size(); ++i)
            fprintf(file, "%s%lld", i == 0 ? "" : " ", static_cast<long long>(row[i]));
        fputc('\n', file);
    }
    if (fclose(file) != 0) throw std::runtime_error("cannot write " + path + ": " + strerror(errno));
}

}  // namespace busy
