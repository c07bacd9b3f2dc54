#include "platform/hip/shim/launch.h"

namespace xsched::hip {
namespace {

// The streams of configured calls that this thread has not launched yet.
constexpr unsigned kMostConfigured = 16;
struct Configured {
    hipStream_t streams[kMostConfigured];
    unsigned count;
};
[[gnu::tls_model("initial-exec")]] thread_local Configured t_configured = {};

}  // namespace

void call_configured(hipStream_t stream) {
    if (t_configured.count < kMostConfigured) t_configured.streams[t_configured.count++] = stream;
}

hipStream_t take_configured() { return t_configured.count > 0 ? t_configured.streams[--t_configured.count] : nullptr; }

}  // namespace xsched::hip
