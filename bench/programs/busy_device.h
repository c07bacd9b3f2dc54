// A device kept busy by kernels of a chosen length: what the programs of the main job share. They are ordinary programs
// and know nothing of XSched. Each platform has a file busy_device.cpp. One thread, but for what says otherwise.
//
// The kernel steps a linear congruential generator `steps` times in each thread and stores the result over its input.
// So a kernel that runs twice, or not at all, or beside another one, gives a wrong final state; the right one is
// computed on the host in a few operations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace busy {

class BusyDevice {
public:
    using Event = void*;  // the vendor's
    // The device library and its function by which a program finds the XQueue of queue() through the C interface.
    static const char* const kHalLibrary;
    static const char* const kHwQueueGet;

    // Opens the first device, and on it the queue or stream of that name; busy_device.cpp has the names. Throws
    // std::runtime_error with a sentence if there is none or a call fails; so do all functions below. Each kernel is
    // `waves` times as many threads as usual.
    explicit BusyDevice(const std::string& stream, unsigned waves = 1);
    ~BusyDevice();
    BusyDevice(const BusyDevice&) = delete;
    BusyDevice& operator=(const BusyDevice&) = delete;

    // Returns the steps with which a kernel takes `milliseconds` on this device now: meaningful only while nothing else
    // uses it.
    uint32_t calibrate(double milliseconds);

    // One kernel of `steps`, not waited for. `*event`, if the caller wants one, must be given to wait() or recycle().
    void enqueue(uint32_t steps, Event* event = nullptr);
    void wait(Event event);
    void finish();

    // For a second thread that watches: wait_only() by any thread that has called attach_thread(); then recycle() by
    // the one that enqueues.
    static void attach_thread();
    void wait_only(Event event);
    void recycle(Event event);
    // Returns how long a kernel that has completed ran on the device; its queue must be a "timed" one.
    int64_t device_ns(Event event) const;
    void* queue() const;  // the vendor's

    // Waits for all kernels, and returns whether every thread's number is what each kernel, run exactly once, must have
    // left.
    bool state_is_right();
    // Device, vendor or platform, and its version, divided by "; ".
    std::string description() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
    uint64_t steps_taken_ = 0;
};

}  // namespace busy
