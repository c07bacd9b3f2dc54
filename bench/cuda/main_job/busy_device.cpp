#include "busy_device.h"

#include <algorithm>
#include <stdexcept>

#include "busy_kernel.h"

namespace busy {
namespace {

constexpr unsigned kBlockThreads = 256;
constexpr int kCalibrationRounds = 8;
constexpr double kCalibrationMs = 30;  // of each round
constexpr uint32_t kFirstSteps = 1000;

int attribute(CuDevice device, int which) {
    int value = 0;
    check(driver().cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
}

CuStream make_stream(const std::string& name) {
    CuStream stream = nullptr;
    if (name == "own") {
        check(driver().cuStreamCreate(&stream, kStreamNonBlocking), "cuStreamCreate");
    } else if (name == "high" || name == "low") {
        int least = 0, greatest = 0;
        check(driver().cuCtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
        check(driver().cuStreamCreateWithPriority(&stream, kStreamNonBlocking, name == "high" ? greatest : least),
              "cuStreamCreateWithPriority");
    } else {
        throw std::runtime_error("--stream " + name + " is none: use null, per-thread, own, high or low");
    }
    return stream;
}

}  // namespace

BusyDevice::BusyDevice(const std::string& stream) {
    check(driver().cuDeviceGet(&device_, 0), "cuDeviceGet");
    check(driver().cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
    attach_thread();
    CuModule module = nullptr;
    check(driver().cuModuleLoadData(&module, kBusyPtx), "cuModuleLoadData");
    check(driver().cuModuleGetFunction(&kernel_, module, "busy"), "cuModuleGetFunction");
    if (stream == "per-thread") {
        stream_ = reinterpret_cast<CuStream>(2);
    } else if (!stream.empty() && stream != "null") {
        stream_ = make_stream(stream);
        own_stream_ = true;
    }
    const unsigned threads = static_cast<unsigned>(attribute(device_, kAttributeThreadsPerMultiprocessor));
    blocks_ = static_cast<unsigned>(attribute(device_, kAttributeMultiprocessors)) *
              std::max(threads / kBlockThreads, 1U);
    std::vector<uint32_t> start(blocks_ * kBlockThreads);
    for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<uint32_t>(i);
    check(driver().cuMemAlloc(&state_, start.size() * sizeof(uint32_t)), "cuMemAlloc");
    check(driver().cuMemcpyHtoD(state_, start.data(), start.size() * sizeof(uint32_t)), "cuMemcpyHtoD");
    // Streams of our own do not wait for the copy.
    check(driver().cuStreamSynchronize(nullptr), "cuStreamSynchronize");
    enqueue(1);  // the driver loads the kernel at its first launch
    finish();
}

// The context stays: it is the process's, and other devices of this class may use it.
BusyDevice::~BusyDevice() {
    for (CuEvent event : free_events_) driver().cuEventDestroy(event);
    driver().cuMemFree(state_);
    if (own_stream_) driver().cuStreamDestroy(stream_);
}

void BusyDevice::enqueue(uint32_t steps, Event* event) {
    void* parameters[] = {&state_, &steps};
    check(driver().cuLaunchKernel(kernel_, blocks_, 1, 1, kBlockThreads, 1, 1, 0, stream_, parameters, nullptr),
          "cuLaunchKernel");
    steps_taken_ += steps;
    if (event == nullptr) return;
    if (free_events_.empty()) {
        check(driver().cuEventCreate(event, kEventDisableTiming), "cuEventCreate");
    } else {
        *event = free_events_.back();
        free_events_.pop_back();
    }
    check(driver().cuEventRecord(*event, stream_), "cuEventRecord");
}

void BusyDevice::attach_thread() { check(driver().cuCtxSetCurrent(context_), "cuCtxSetCurrent"); }
void BusyDevice::wait_only(Event event) { check(driver().cuEventSynchronize(event), "cuEventSynchronize"); }
void BusyDevice::recycle(Event event) { free_events_.push_back(event); }
void BusyDevice::wait(Event event) {
    wait_only(event);
    recycle(event);
}

void BusyDevice::finish() { check(driver().cuStreamSynchronize(stream_), "cuStreamSynchronize"); }

double BusyDevice::kernel_ms(uint32_t steps, double about_ms) {
    const int kernels = static_cast<int>(std::clamp(kCalibrationMs / about_ms, 3.0, 500.0));
    CuEvent begin = nullptr, end = nullptr;
    check(driver().cuEventCreate(&begin, kEventDefault), "cuEventCreate");
    check(driver().cuEventCreate(&end, kEventDefault), "cuEventCreate");
    enqueue(steps);
    check(driver().cuEventRecord(begin, stream_), "cuEventRecord");
    for (int i = 0; i < kernels; ++i) enqueue(steps);
    check(driver().cuEventRecord(end, stream_), "cuEventRecord");
    check(driver().cuEventSynchronize(end), "cuEventSynchronize");
    float ms = 0;
    check(driver().cuEventElapsedTime(&ms, begin, end), "cuEventElapsedTime");
    driver().cuEventDestroy(begin);
    driver().cuEventDestroy(end);
    return std::max(ms / kernels, 1e-4F);
}

uint32_t BusyDevice::calibrate(double milliseconds) {
    double steps = kFirstSteps;
    double length = kernel_ms(kFirstSteps, 0.02);  // also wakes the device
    for (int round = 0; round < kCalibrationRounds; ++round) {
        steps = std::clamp(steps * std::clamp(milliseconds / length, 0.05, 100.0), 1.0, 4e9);
        length = kernel_ms(static_cast<uint32_t>(steps), milliseconds);
    }
    return static_cast<uint32_t>(steps);
}

bool BusyDevice::state_is_right() {
    finish();
    std::vector<uint32_t> state(blocks_ * kBlockThreads);
    check(driver().cuMemcpyDtoH(state.data(), state_, state.size() * sizeof(uint32_t)), "cuMemcpyDtoH");
    for (size_t i = 0; i < state.size(); ++i) {
        if (state[i] != stepped(static_cast<uint32_t>(i), steps_taken_)) return false;
    }
    return true;
}

std::string BusyDevice::description() const {
    char name[256] = "";
    check(driver().cuDeviceGetName(name, sizeof(name) - 1, device_), "cuDeviceGetName");
    return std::string(name) + "; NVIDIA; " + driver_version();
}

}  // namespace busy
