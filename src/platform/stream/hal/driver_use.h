// A guard for each call that XSched itself makes into the driver for a stream, on any thread. It makes the stream's
// context current and keeps the stream's wrapper alive; pause_driver waits for its end. It is no lock: any number of
// threads may hold guards at once, also for one stream.
#pragma once

#include "base/no_copies.h"
#include "platform/stream/hal/hwqueue_state.h"
#include "vendor.h"
#include "xsched/types.h"

namespace xsched::stream {

class DriverUse : base::NoCopies {
public:
    explicit DriverUse(HwQueue& hwq, bool touches_stream = true);
    ~DriverUse();

    // Success, or why the driver may not be called: Hardware (stream or context is gone), NotAllowed (another thread's
    // default stream).
    XResult verdict() const { return verdict_; }
    // Returns whether the stream is being captured, or touching it would disturb a capture: nothing may be put into it.
    bool capturing() const;

private:
    HwQueue& hwq_;
    bool foreign_ = false;
    XResult verdict_ = kXSchedSuccess;
    InContext current_;
};

// pause_driver waits until none of XSched's own calls is inside the driver for any stream, and lets none begin before
// unpause_driver.
void pause_driver();
void unpause_driver();

// During its life this thread may make calls that a stream capture elsewhere in the process would forbid.
class RelaxedCapture : base::NoCopies {
public:
    explicit RelaxedCapture(const Api& api) : api_(api) { exchange_capture_mode(api_, &mode_); }
    ~RelaxedCapture() { exchange_capture_mode(api_, &mode_); }

private:
    const Api& api_;
    int mode_ = kCaptureModeRelaxed;
};

}  // namespace xsched::stream
