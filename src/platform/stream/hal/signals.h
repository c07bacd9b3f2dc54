// Signals: words of the driver's own making, for devices on which streams wait on nothing else. The agent stores to
// them, at any time. The driver frees them when the process ends, and with a reset of the device: nobody stores to a
// signal after that. Any thread.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"

namespace xsched::stream {

inline constexpr int kMostDevices = 64;
inline int device_index(Device device) { return device >= 0 && device < kMostDevices ? device : 0; }

inline constexpr uint32_t kOpen = 1;  // what a gate's word must reach

// Makes the queue's signal if it has none. False: the driver makes none.
bool make_signal(HwQueue& hwq);
// The queue's signal; nullptr: it has none, or its device was reset since.
uint64_t* signal_of(const HwQueue& hwq);
// The signal follows `closed`: whoever changes either of them looks at the other afterwards.
void set_signal(HwQueue& hwq);
// The device is being reset.
void signals_going(Device device);

}  // namespace xsched::stream
