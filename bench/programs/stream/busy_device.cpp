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

vendor::Stream make_stream(const std::string& name) {
    if (name == "own") return vendor::make_stream();
    if (name == "high" || name == "low") return vendor::make_stream(name == "high");
    throw std::runtime_error("--stream " + name + " is none: use null, per-thread, own, high or low");
}

// One wave of threads fills the device.
unsigned blocks_of_a_wave() {
    const unsigned blocks = vendor::attribute(kAttributeThreadsPerMultiprocessor) / kBlockThreads;
    return vendor::attribute(kAttributeMultiprocessors) * std::max(blocks, 1U);
}

}  // namespace

BusyDevice::BusyDevice(const std::string& stream, unsigned waves) {
    attach_thread();
    kernel_ = vendor::load_busy();
    if (stream == "per-thread") {
        stream_ = reinterpret_cast<vendor::Stream>(2);  // the number that CUDA and HIP gave it
    } else if (!stream.empty() && stream != "null") {
        stream_ = make_stream(stream);
        own_stream_ = true;
    }
    blocks_ = blocks_of_a_wave() * waves;
    std::vector<uint32_t> start(size_t{blocks_} * kBlockThreads);
    for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<uint32_t>(i);
    state_ = vendor::allocate(start.size() * sizeof(uint32_t));
    vendor::copy_in(state_, start.data(), start.size() * sizeof(uint32_t));
    // Wait for the copy, which is in the NULL stream: streams of this class do not wait for that one.
    vendor::wait(vendor::Stream{});
    enqueue(1);  // the kernel is loaded at its first launch
    finish();
}

BusyDevice::~BusyDevice() {
    for (Event event : free_events_) vendor::destroy(event);
    vendor::release(state_);
    if (own_stream_) vendor::destroy(stream_);
}

void BusyDevice::enqueue(uint32_t steps, Event* event) {
    void* parameters[] = {&state_, &steps};
    vendor::launch(kernel_, blocks_, kBlockThreads, stream_, parameters);
    steps_taken_ += steps;
    if (event == nullptr) return;
    if (free_events_.empty()) {
        *event = vendor::make_event(false);
    } else {
        *event = free_events_.back();
        free_events_.pop_back();
    }
    vendor::record(*event, stream_);
}

void BusyDevice::attach_thread() { vendor::use_device(); }
void BusyDevice::wait_only(Event event) { vendor::wait(event); }
void BusyDevice::recycle(Event event) { free_events_.push_back(event); }
void BusyDevice::wait(Event event) {
    wait_only(event);
    recycle(event);
}

void BusyDevice::finish() { vendor::wait(stream_); }

double BusyDevice::kernel_ms(uint32_t steps, double about_ms) {
    const int kernels = static_cast<int>(std::clamp(kCalibrationMs / about_ms, 3.0, 500.0));
    const Event begin = vendor::make_event(true);
    const Event end = vendor::make_event(true);
    enqueue(steps);
    vendor::record(begin, stream_);
    for (int i = 0; i < kernels; ++i) enqueue(steps);
    vendor::record(end, stream_);
    vendor::wait(end);
    const float ms = vendor::milliseconds(begin, end);
    vendor::destroy(begin);
    vendor::destroy(end);
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
    vendor::copy_out(state.data(), state_, state.size() * sizeof(uint32_t));
    for (size_t i = 0; i < state.size(); ++i) {
        if (state[i] != stepped(static_cast<uint32_t>(i), steps_taken_)) return false;
    }
    return true;
}

std::string BusyDevice::description() const { return vendor::description(); }

}  // namespace busy
