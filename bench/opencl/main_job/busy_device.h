// An OpenCL device kept busy by kernels of a chosen length: what the high- and the low-priority program of the main
// job share. They are ordinary OpenCL programs and know nothing of XSched. One thread.
//
// The kernel steps a linear congruential generator `steps` times in each work-item and stores the result over its
// input, so running a kernel twice, or not at all, or two of them at once, gives a wrong final state; the right one
// is computed on the host in a few operations.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace busy {

int64_t now_ns();  // CLOCK_MONOTONIC

class BusyDevice {
public:
    // The first device of `type` (CL_DEVICE_TYPE_DEFAULT: the platform's own choice). Throws std::runtime_error with
    // a sentence if there is none or OpenCL fails; so do all functions below.
    explicit BusyDevice(cl_device_type type);
    ~BusyDevice();
    BusyDevice(const BusyDevice&) = delete;
    BusyDevice& operator=(const BusyDevice&) = delete;

    // Steps for one kernel to take `milliseconds` on this device now: meaningful only while nothing else uses it.
    uint32_t calibrate(double milliseconds);

    // One kernel of `steps`, not waited for. The caller releases `*event`, if it wants one.
    void enqueue(uint32_t steps, cl_event* event = nullptr);
    void flush();
    void finish();

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

// The time from a command's submission by the program to its start on the device. `event` must be complete.
int64_t queued_to_start_ns(cl_event event);
int64_t started_to_end_ns(cl_event event);
// Releases `event` after waiting for it.
void wait_and_release(cl_event event);

// --name VALUE pairs; ends the program with a sentence (exit status 2) on anything else.
struct Arguments {
    std::string out;           // --out FILE: measurements, one line each
    double seconds = 10;       // --seconds: how long to run
    long bursts = 0;           // --bursts: this many instead of --seconds (0: by time)
    uint32_t steps = 0;        // --steps: per kernel; 0: calibrate now to --kernel-ms
    double kernel_ms = 1;      // --kernel-ms
    long burst_kernels = 20;   // --burst-kernels
    double period_ms = 60;     // --period-ms: from burst to burst
    long sync_every = 0;       // --sync-every: wait after this many kernels of a burst; 0: at its end only
    long depth = 16;           // --depth: kernels kept enqueued
    bool calibrate = false;    // --calibrate 1: print the steps for --kernel-ms and leave
    bool until_eof = false;    // --until-eof 1: also stop when standard input ends
    cl_device_type device = CL_DEVICE_TYPE_DEFAULT;  // --device default|cpu|gpu
};
Arguments parse_arguments(int count, char** values);

// Writes one line per row, numbers separated by blanks.
void write_rows(const std::string& path, const std::vector<std::vector<int64_t>>& rows);

}  // namespace busy
