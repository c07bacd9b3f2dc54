// Host memory words that the device may wait on and write to. The page around them is registered with the driver once
// per process. Any thread.
#pragma once

#include "vendor.h"

namespace xsched::stream {

// Returns the word's device address. `context`: the calling thread's current context. `code`: the driver's refusal.
bool pin_word(const Api& api, Context context, uint32_t* word, DevicePtr* address, Result* code);

// Returns a number that changes when a registration ends, which it does with the context that made it: device addresses
// from before are invalid.
uint32_t pin_epoch();
// Call before the driver ends the context, once none of our queues there uses its words. Ends our registrations there.
void forget_pins(const Api& api, Context context);

}  // namespace xsched::stream
