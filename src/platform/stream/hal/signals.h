// Signals: words made by the driver, for devices on which streams can wait on nothing else. The agent stores to them at
// any time. The driver frees them at the process's end and when the device is reset; no thread stores to them after
// that. Any thread.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"

namespace xsched::stream {

inline constexpr int kMostDevices = 64;
inline int device_index(Device device) { return device >= 0 && device < kMostDevices ? device : 0; }

inline constexpr uint32_t kOpen = 1;  // what a gate's word must reach

// Makes the queue's signal if it has none. Returns false if the driver makes none.
bool make_signal(HwQueue& hwq);
// Returns the queue's signal; nullptr: it has none, or its device was reset since.
uint64_t* signal_of(const HwQueue& hwq);
// Writes the queue's `closed` into its signal's word, if it has a signal. A thread that gives the queue a signal, or
// changes `closed`, calls this afterwards. If two threads make these two changes at the same time, the later one sees
// both.
void set_signal(HwQueue& hwq);
// Forgets the signals of a device that is being reset.
void signals_going(Device device);

}  // namespace xsched::stream
