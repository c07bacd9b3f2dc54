#include "platform/stream/hal/stream_id.h"

#include <atomic>

namespace xsched::stream {
namespace {

constinit std::atomic<uint32_t> g_threads{0};
[[gnu::tls_model("initial-exec")]] thread_local uint32_t t_number = 0;

}  // namespace

uint32_t thread_number() {
    if (t_number == 0) t_number = g_threads.fetch_add(1, std::memory_order_relaxed) % 65535 + 1;
    return t_number;
}

uint64_t stream_id(StreamKind kind, Stream stream, Context context) {
    if (kind == StreamKind::kOrdinary) return reinterpret_cast<uint64_t>(stream);
    if (kind == StreamKind::kLegacy) return reinterpret_cast<uint64_t>(context) | kLegacyStream;
    return reinterpret_cast<uint64_t>(context) | kPerThreadStream | uint64_t{thread_number()} << 48;
}

}  // namespace xsched::stream
