// The first device of CUDA or HIP, and on it the stream that is called: null (the default: the NULL stream),
// per-thread, own (one of its own), high or low (one with the greatest or least priority). One wave of a kernel's
// threads fills the device. vendor.h, one for each platform, has the calls.
#include "busy_device.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "busy_kernel.h"
#include "vendor.h"

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

const char* const BusyDevice::kHalLibrary = vendor::kHalLibrary;
const char* const BusyDevice::kHwQueueGet = vendor::kHwQueueGet;

struct BusyDevice::Parts {
    explicit Parts(const std::string& name) : kernel(vendor::load_busy()) {
        if (name == "per-thread") {
            stream = reinterpret_cast<vendor::Stream>(2);  // the number that CUDA and HIP gave it
        } else if (!name.empty() && name != "null") {
            stream = make_stream(name);
            own_stream = true;
        }
    }
    ~Parts() {
        for (vendor::Event event : free_events) vendor::destroy(event);
        vendor::release(state);
        if (own_stream) vendor::destroy(stream);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    size_t threads() const { return size_t{blocks} * kBlockThreads; }
    void fill_device(unsigned waves) {
        blocks = blocks_of_a_wave() * waves;
        std::vector<uint32_t> start(threads());
        for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<uint32_t>(i);
        state = vendor::allocate(start.size() * sizeof(uint32_t));
        vendor::copy_in(state, start.data(), start.size() * sizeof(uint32_t));
        // Wait for the copy, which is in the NULL stream: streams of this class do not wait for that one.
        vendor::wait(vendor::Stream{});
    }

    vendor::Kernel kernel{};
    vendor::Stream stream{};
    vendor::Memory state{};
    unsigned blocks = 0;
    bool own_stream = false;
    std::vector<vendor::Event> free_events;
};

BusyDevice::BusyDevice(const std::string& stream, unsigned waves) {
    attach_thread();
    parts_ = std::make_unique<Parts>(stream);
    parts_->fill_device(waves);
    enqueue(1);  // the kernel is loaded at its first launch
    finish();
}

BusyDevice::~BusyDevice() = default;

void BusyDevice::enqueue(uint32_t steps, Event* event) {
    void* parameters[] = {&parts_->state, &steps};
    vendor::launch(parts_->kernel, parts_->blocks, kBlockThreads, parts_->stream, parameters);
    steps_taken_ += steps;
    if (event == nullptr) return;
    vendor::Event recorded{};
    if (parts_->free_events.empty()) {
        recorded = vendor::make_event(false);
    } else {
        recorded = parts_->free_events.back();
        parts_->free_events.pop_back();
    }
    *event = recorded;
    vendor::record(recorded, parts_->stream);
}

void BusyDevice::attach_thread() { vendor::use_device(); }
void BusyDevice::wait_only(Event event) { vendor::wait(static_cast<vendor::Event>(event)); }
void BusyDevice::recycle(Event event) { parts_->free_events.push_back(static_cast<vendor::Event>(event)); }
void BusyDevice::wait(Event event) {
    wait_only(event);
    recycle(event);
}
int64_t BusyDevice::device_ns(Event) const { throw std::runtime_error("no stream is timed here"); }

void BusyDevice::finish() { vendor::wait(parts_->stream); }
void* BusyDevice::queue() const { return parts_->stream; }

uint32_t BusyDevice::calibrate(double milliseconds) {
    // Returns how long one of several kernels takes that run back to back.
    const auto kernel_ms = [this](uint32_t steps, double about_ms) {
        const int kernels = static_cast<int>(std::clamp(kCalibrationMs / about_ms, 3.0, 500.0));
        const vendor::Event begin = vendor::make_event(true);
        const vendor::Event end = vendor::make_event(true);
        enqueue(steps);
        vendor::record(begin, parts_->stream);
        for (int i = 0; i < kernels; ++i) enqueue(steps);
        vendor::record(end, parts_->stream);
        vendor::wait(end);
        const float ms = vendor::milliseconds(begin, end);
        vendor::destroy(begin);
        vendor::destroy(end);
        return std::max(static_cast<double>(ms / static_cast<float>(kernels)), 1e-4);
    };
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
    std::vector<uint32_t> state(parts_->threads());
    vendor::copy_out(state.data(), parts_->state, state.size() * sizeof(uint32_t));
    for (size_t i = 0; i < state.size(); ++i) {
        if (state[i] != stepped(static_cast<uint32_t>(i), steps_taken_)) return false;
    }
    return true;
}

std::string BusyDevice::description() const { return vendor::description(); }

}  // namespace busy
