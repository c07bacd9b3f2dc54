#include "busy_device.h"

#include <algorithm>
#include <stdexcept>

#include "busy_kernel.h"
#include "kernel.h"

namespace busy {
namespace {

constexpr int kDevice = 0;
constexpr unsigned kBlockThreads = 256;
constexpr int kCalibrationRounds = 8;
constexpr double kCalibrationMs = 30;  // of each round
constexpr uint32_t kFirstSteps = 1000;

int attribute(int which) {
    int value = 0;
    check(runtime().hipDeviceGetAttribute(&value, which, kDevice), "hipDeviceGetAttribute");
    return value;
}

hip::hipStream_t make_stream(const std::string& name) {
    hip::hipStream_t stream = nullptr;
    if (name == "own") {
        check(runtime().hipStreamCreateWithFlags(&stream, hip::hipStreamNonBlocking), "hipStreamCreateWithFlags");
    } else if (name == "high" || name == "low") {
        int least = 0, greatest = 0;
        check(runtime().hipDeviceGetStreamPriorityRange(&least, &greatest), "hipDeviceGetStreamPriorityRange");
        const int priority = name == "high" ? greatest : least;
        check(runtime().hipStreamCreateWithPriority(&stream, hip::hipStreamNonBlocking, priority),
              "hipStreamCreateWithPriority");
    } else {
        throw std::runtime_error("--stream " + name + " is none: use null, per-thread, own, high or low");
    }
    return stream;
}

}  // namespace

BusyDevice::BusyDevice(const std::string& stream) {
    attach_thread();
    kernel_ = load_busy();
    if (stream == "per-thread") {
        stream_ = reinterpret_cast<hip::hipStream_t>(2);
    } else if (!stream.empty() && stream != "null") {
        stream_ = make_stream(stream);
        own_stream_ = true;
    }
    const unsigned threads = static_cast<unsigned>(attribute(kAttributeThreadsPerMultiprocessor));
    blocks_ = static_cast<unsigned>(attribute(kAttributeMultiprocessors)) *
              std::max(threads / kBlockThreads, 1U);
    std::vector<uint32_t> start(size_t{blocks_} * kBlockThreads);
    for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<uint32_t>(i);
    check(runtime().hipMalloc(&state_, start.size() * sizeof(uint32_t)), "hipMalloc");
    check(runtime().hipMemcpyHtoD(state_, start.data(), start.size() * sizeof(uint32_t)), "hipMemcpyHtoD");
    // Streams of our own do not wait for the copy.
    check(runtime().hipStreamSynchronize(nullptr), "hipStreamSynchronize");
    enqueue(1);  // the runtime loads the kernel at its first launch
    finish();
}

// The module stays: it is the process's.
BusyDevice::~BusyDevice() {
    for (hip::hipEvent_t event : free_events_) runtime().hipEventDestroy(event);
    runtime().hipFree(state_);
    if (own_stream_) runtime().hipStreamDestroy(stream_);
}

void BusyDevice::enqueue(uint32_t steps, Event* event) {
    void* parameters[] = {&state_, &steps};
    check(runtime().hipModuleLaunchKernel(kernel_, blocks_, 1, 1, kBlockThreads, 1, 1, 0, stream_, parameters, nullptr),
          "hipModuleLaunchKernel");
    steps_taken_ += steps;
    if (event == nullptr) return;
    if (free_events_.empty()) {
        check(runtime().hipEventCreateWithFlags(event, hip::hipEventDisableTiming), "hipEventCreateWithFlags");
    } else {
        *event = free_events_.back();
        free_events_.pop_back();
    }
    check(runtime().hipEventRecord(*event, stream_), "hipEventRecord");
}

void BusyDevice::attach_thread() { check(runtime().hipSetDevice(kDevice), "hipSetDevice"); }
void BusyDevice::wait_only(Event event) { check(runtime().hipEventSynchronize(event), "hipEventSynchronize"); }
void BusyDevice::recycle(Event event) { free_events_.push_back(event); }
void BusyDevice::wait(Event event) {
    wait_only(event);
    recycle(event);
}

void BusyDevice::finish() { check(runtime().hipStreamSynchronize(stream_), "hipStreamSynchronize"); }

double BusyDevice::kernel_ms(uint32_t steps, double about_ms) {
    const int kernels = static_cast<int>(std::clamp(kCalibrationMs / about_ms, 3.0, 500.0));
    hip::hipEvent_t begin = nullptr, end = nullptr;
    check(runtime().hipEventCreateWithFlags(&begin, kEventDefault), "hipEventCreateWithFlags");
    check(runtime().hipEventCreateWithFlags(&end, kEventDefault), "hipEventCreateWithFlags");
    enqueue(steps);
    check(runtime().hipEventRecord(begin, stream_), "hipEventRecord");
    for (int i = 0; i < kernels; ++i) enqueue(steps);
    check(runtime().hipEventRecord(end, stream_), "hipEventRecord");
    check(runtime().hipEventSynchronize(end), "hipEventSynchronize");
    float ms = 0;
    check(runtime().hipEventElapsedTime(&ms, begin, end), "hipEventElapsedTime");
    runtime().hipEventDestroy(begin);
    runtime().hipEventDestroy(end);
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
    std::vector<uint32_t> state(size_t{blocks_} * kBlockThreads);
    check(runtime().hipMemcpyDtoH(state.data(), state_, state.size() * sizeof(uint32_t)), "hipMemcpyDtoH");
    for (size_t i = 0; i < state.size(); ++i) {
        if (state[i] != stepped(static_cast<uint32_t>(i), steps_taken_)) return false;
    }
    return true;
}

std::string BusyDevice::description() const {
    char name[256] = "";
    check(runtime().hipDeviceGetName(name, sizeof(name) - 1, kDevice), "hipDeviceGetName");
    return std::string(name) + "; AMD; " + runtime_version();
}

}  // namespace busy
