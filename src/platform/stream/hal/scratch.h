// A little device memory per context whose content is not used, and a stream of our own, for commands without effect.
// No call of the program can block in that stream. Both are destroyed with their context; freeing them would wait for
// the context's work. Any thread.
#pragma once

#include <cstddef>

#include "vendor.h"

namespace xsched::stream {

inline constexpr size_t kScratchBytes = 4096;

struct Scratch {
    DevicePtr memory{};
    Stream stream = nullptr;  // waits for no other, and no other for it
};

// Returns them in `scratch`; the first call creates them. The context is current, and the thread is relaxed about
// captures. False: the driver refuses.
bool scratch_of(const Api& api, Context context, Scratch* scratch);
// Forgets them when the context is destroyed.
void forget_scratch(Context context);

}  // namespace xsched::stream
