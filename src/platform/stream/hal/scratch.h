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

// Stores the context's scratch memory and stream in `scratch`. The first call creates both: the context is current, and
// the thread may make calls that a capture elsewhere forbids. Returns false if the driver refuses.
bool scratch_of(const Api& api, Context context, Scratch* scratch);
// Forgets them when the context is destroyed.
void forget_scratch(Context context);

}  // namespace xsched::stream
