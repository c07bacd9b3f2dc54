// A little device memory per context, whose content nobody reads, and a stream of our own: for work that is only there
// to be done, and in which no call of the program's can stand. Both go with their context; to give them back would wait
// for the context's work. Any thread.
#pragma once

#include <cstddef>

#include "vendor.h"

namespace xsched::stream {

inline constexpr size_t kScratchBytes = 4096;

struct Scratch {
    DevicePtr memory{};
    Stream stream = nullptr;  // waits for no other, and no other for it
};

// The context is current, and the thread relaxed about captures. Made by the first call. False: the driver refuses.
bool scratch_of(const Api& api, Context context, Scratch* scratch);
// The context goes, and these with it.
void forget_scratch(Context context);

}  // namespace xsched::stream
