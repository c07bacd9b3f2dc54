// Identifies the stream that a handle means, and numbers it for registration as a HwQueue.
#pragma once

#include "vendor.h"

namespace xsched::stream {

// The streams without a handle of their own. NULL means the per-thread one in functions for per-thread default streams,
// otherwise the legacy one.
inline constexpr uintptr_t kLegacyStream = 1;
inline constexpr uintptr_t kPerThreadStream = 2;

enum class StreamKind : uint32_t { kOrdinary, kLegacy, kPerThread };

inline StreamKind kind_of(Stream stream, bool per_thread_default) {
    const auto number = reinterpret_cast<uintptr_t>(stream);
    if (number > kPerThreadStream) return StreamKind::kOrdinary;
    if (number == kPerThreadStream || (number == 0 && per_thread_default)) return StreamKind::kPerThread;
    return StreamKind::kLegacy;
}

// Returns a number for the calling thread, from 1. Another thread gets the same number only after 65535 more have used
// the driver.
uint32_t thread_number();

// Returns a number that is unique among the process's streams. The last two bits of handles and contexts are 0.
uint64_t stream_id(StreamKind kind, Stream stream, Context context);

}  // namespace xsched::stream
