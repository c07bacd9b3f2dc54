// The kinds of entries in the journal of what the scheduler saw and decided (dispatch/journal.h). Servers tell tools
// these numbers, and recordings have those up to kGone. So a kind never changes its number.
#pragma once

#include <cstdint>

namespace xsched::ipc {

enum class JournalKind : uint8_t {
    kReady = 0,
    kIdle = 1,
    kSuspended = 2,
    kResumed = 3,
    kGone = 4,       // the queue is gone; `completed` is its device
    kCame = 5,       // likewise
    kCause = 6,      // it stays suspended, but for another program or reason, or by another mechanism
    kDirected = 7,   // its agent must make a call: `completed` is ipc::Interrupt << 32 | timeslice in us
    kTakenOff = 8,   // that call is done, as far as seen: the work that ran is off the device,
    kPutBack = 9,    // or it is back on the device
    kFollowed = 10,  // from now on each change of the queue is reported,
    kLeftAlone = 11,  // or not, because no other process competes
    kWasReady = 12,  // like kReady and kIdle together: a burst that ended before it was seen
    kWasIdle = 13
};

}  // namespace xsched::ipc
