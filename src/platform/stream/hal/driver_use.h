// Every call that XSched itself makes into the driver for a stream, from whichever thread: under one of these guards.
// A guard makes the stream's context current, keeps the stream's wrapper alive, and is what pause_driver waits for. It
// is no lock: any number of threads hold one at once, also for one stream.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "vendor.h"
#include "xsched/types.h"

namespace xsched::stream {

class DriverUse {
public:
    explicit DriverUse(HwQueue& hwq, bool touches_stream = true);
    ~DriverUse();
    DriverUse(const DriverUse&) = delete;
    DriverUse& operator=(const DriverUse&) = delete;

    // Success, or why the driver may not be called: Hardware (stream or context is gone), NotAllowed (another thread's
    // default stream).
    XResult verdict() const { return verdict_; }
    // The stream is being captured, or touching it would disturb a capture: nothing may be put into it.
    bool capturing() const;

private:
    HwQueue& hwq_;
    bool foreign_ = false;
    XResult verdict_ = kXSchedSuccess;
    InContext current_;
};

// Between the two no call of ours is inside the driver for any stream.
void pause_driver();
void unpause_driver();

// While it lives, calls that a stream capture elsewhere in the process would forbid are allowed on this thread.
class RelaxedCapture {
public:
    explicit RelaxedCapture(const Api& api) : api_(api) { exchange_capture_mode(api_, &mode_); }
    ~RelaxedCapture() { exchange_capture_mode(api_, &mode_); }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
    const Api& api_;
    int mode_ = kCaptureModeRelaxed;
};

}  // namespace xsched::stream
