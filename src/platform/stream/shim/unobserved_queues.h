// The part of a platform's platform.h about hardware queues, where it is not observed to which of them a stream's
// commands go. (HIP's are observed.)
#pragma once

#include "platform/stream/hal/hardware_use.h"
#include "xsched/types.h"

namespace xsched::stream {

// No stream is known to wait for another one because they share a hardware queue.
inline constexpr bool kSharesHardware = false;
struct CallWatchState {};
inline bool queues_observed() { return false; }
inline void call_begins(const HardwareUse&, bool, CallWatchState*) {}
inline bool call_returned(HardwareUse&, bool, const CallWatchState&) { return false; }
inline void follow_use(HwQueueHandle, const HardwareUse&) {}
inline void call_settled(const HardwareUse&) {}

}  // namespace xsched::stream
