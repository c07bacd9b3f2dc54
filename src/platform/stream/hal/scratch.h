// A little device memory per context, whose content nobody reads: for work that is only there to be done. It goes with
// its context; freeing it would wait for the context's work. Any thread.
#pragma once

#include <cstddef>

#include "vendor.h"

namespace xsched::stream {

inline constexpr size_t kScratchBytes = 4096;

// The context is current, and the thread relaxed about captures. Made by the first call; null: there is no memory.
DevicePtr scratch_of(const Api& api, Context context);
// The context goes, and its memory with it.
void forget_scratch(Context context);

}  // namespace xsched::stream
