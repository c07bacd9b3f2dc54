// An OpenCL device kept busy by kernels of a chosen length: what the programs of the main job share. They are ordinary
// OpenCL programs and know nothing of XSched. One thread, but for what says otherwise.
//
// The kernel steps a linear congruential generator `steps` times in each work-item and stores the result over its
// input. So a kernel that runs twice, or not at all, or beside another one, gives a wrong final state; the right one is
// computed on the host in a few operations.
#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <cstdint>
#include <string>

namespace busy {

class BusyDevice {
public:
    using Event = cl_event;
    // The device library and its function by which a program finds the XQueue of queue() through the C interface.
    static constexpr const char* kHalLibrary = "libhalopencl.so.1";
    static constexpr const char* kHwQueueGet = "OclQueueGet";

    // A queue on the first device of the platform's own choice; "cpu" or "gpu": of that type; "high" or "low": with
    // that priority, where the driver knows priorities; "timed": it tells how long each kernel ran. "null", "own" and
    // "per-thread", which other platforms tell apart, are the same here. Throws std::runtime_error with a sentence if
    // there is none or OpenCL fails; so do all functions below. Each kernel is `waves` times as many work-groups as
    // usual.
    explicit BusyDevice(const std::string& stream, unsigned waves = 1);
    ~BusyDevice();
    BusyDevice(const BusyDevice&) = delete;
    BusyDevice& operator=(const BusyDevice&) = delete;

    // Returns the steps for one kernel to take `milliseconds` on this device now: meaningful only while nothing else
    // uses it.
    uint32_t calibrate(double milliseconds);

    // One kernel of `steps`, not waited for. `*event`, if the caller wants one, must be given to wait() or recycle().
    void enqueue(uint32_t steps, Event* event = nullptr);
    void wait(Event event);
    void finish();

    // For a second thread that watches: wait_only() by any thread that has called attach_thread(); then recycle() by
    // the one that enqueues.
    void attach_thread() {}
    void wait_only(Event event);
    void recycle(Event event);
    // Returns the device time of a complete kernel of a "timed" queue.
    int64_t device_ns(Event event) const;
    void* queue() const { return queue_; }  // the vendor's

    // Every work-item holds exactly what all kernels enqueued so far, each run once, leave. Waits for them.
    bool state_is_right();
    // Device, platform and platform version, divided by "; ".
    std::string description() const;

private:
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_program program_ = nullptr;
    cl_kernel kernel_ = nullptr;
    cl_mem state_ = nullptr;
    size_t work_items_ = 0;
    size_t group_items_ = 0;
    uint64_t steps_taken_ = 0;
};

}  // namespace busy
