// Which stream a handle means, and the number under which it is registered as a HwQueue.
#pragma once

#include "vendor.h"

namespace xsched::stream {

// The streams without a handle of their own. In functions for one default stream per thread NULL means the second, else
// the first.
inline constexpr uintptr_t kLegacyStream = 1;
inline constexpr uintptr_t kPerThreadStream = 2;

enum class StreamKind : uint32_t { kOrdinary, kLegacy, kPerThread };

inline StreamKind kind_of(Stream stream, bool per_thread_default) {
    const auto number = reinterpret_cast<uintptr_t>(stream);
    if (number > kPerThreadStream) return StreamKind::kOrdinary;
    if (number == kPerThreadStream || (number == 0 && per_thread_default)) return StreamKind::kPerThread;
    return StreamKind::kLegacy;
}

// A number for the calling thread, from 1; another thread's only after 65535 more have used the driver.
uint32_t thread_number();

// Unique among the streams of the process. The last two bits of handles and contexts are 0.
uint64_t stream_id(StreamKind kind, Stream stream, Context context);

}  // namespace xsched::stream
