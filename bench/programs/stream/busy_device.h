// A CUDA or HIP device kept busy by kernels of a chosen length: what the programs of the main job share. They are
// ordinary programs and know nothing of XSched; vendor.h, one for each, has the calls. One thread, but for what says
// otherwise.
//
// The kernel steps a linear congruential generator `steps` times in each thread and stores the result over its input.
// So a kernel that runs twice, or not at all, or beside another one, gives a wrong final state; the right one is
// computed on the host in a few operations. One wave of its threads fills the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vendor.h"

namespace busy {

class BusyDevice {
public:
    using Event = vendor::Event;
    // The device library and its function by which a program finds the XQueue of queue() through the C interface.
    static constexpr const char* kHalLibrary = vendor::kHalLibrary;
    static constexpr const char* kHwQueueGet = vendor::kHwQueueGet;

    // The first device, and on it the stream that is called: null (the default: the NULL stream), per-thread,
    // own (one of its own), high or low (one with the greatest or least priority). Throws std::runtime_error with a
    // sentence if there is none or a call fails; so do all functions below.
    // Each kernel is `waves` times as many threads as the device runs at once.
    explicit BusyDevice(const std::string& stream, unsigned waves = 1);
    ~BusyDevice();
    BusyDevice(const BusyDevice&) = delete;
    BusyDevice& operator=(const BusyDevice&) = delete;

    // Returns the steps with which kernels that run back to back take `milliseconds` each: meaningful only while
    // nothing else uses the device.
    uint32_t calibrate(double milliseconds);

    // One kernel of `steps`, not waited for. `*event`, if the caller wants one, must be given to wait() or recycle().
    void enqueue(uint32_t steps, Event* event = nullptr);
    void wait(Event event);
    void finish();

    // For a second thread that watches: wait_only() by any thread that has called attach_thread(); then recycle() by
    // the one that enqueues.
    void attach_thread();
    void wait_only(Event event);
    void recycle(Event event);
    void* queue() const { return stream_; }  // the vendor's

    // Waits for all kernels, and returns whether every thread's number is what each kernel, run exactly once, must
    // have left.
    bool state_is_right();
    // Device, vendor and driver version, divided by "; ".
    std::string description() const;

private:
    double kernel_ms(uint32_t steps, double about_ms);

    vendor::Kernel kernel_{};
    vendor::Stream stream_{};
    vendor::Memory state_{};
    unsigned blocks_ = 0;
    uint64_t steps_taken_ = 0;
    bool own_stream_ = false;
    std::vector<Event> free_events_;
};

}  // namespace busy
