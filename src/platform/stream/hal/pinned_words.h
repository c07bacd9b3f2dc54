// Words of host memory that the device may wait on and write to. The memory around them, a page at a time, is
// registered with the driver once per process. Any thread.
#pragma once

#include "vendor.h"

namespace xsched::stream {

// The word's address for the device. The calling thread's current context is `context`. `code`: the driver's refusal.
bool pin_word(const Api& api, Context context, uint32_t* word, DevicePtr* address, Result* code);

// A registration ends with the context through which it was made. Addresses handed out before this number changed are
// void.
uint32_t pin_epoch();
void forget_pins(Context context);

}  // namespace xsched::stream
