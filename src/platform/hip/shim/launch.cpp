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

hipError_t configure_call(dim3 grid, dim3 block, size_t shared_bytes, hipStream_t stream) {
    const hipError_t code = driver<kEntry_hipConfigureCall>()(grid, block, shared_bytes, stream);
    if (code == hipSuccess && t_configured.count < kMostConfigured) t_configured.streams[t_configured.count++] = stream;
    return code;
}

hipError_t launch_by_pointer(const void* function) {
    const hipStream_t queue = t_configured.count > 0 ? t_configured.streams[--t_configured.count] : nullptr;
    if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]] stream::trace_command("hipLaunchByPtr", nullptr, queue);
    Launch launch(queue, false);
    const hipError_t code = driver<kEntry_hipLaunchByPtr>()(function);
    launch.returned(code);
    return code;
}

void launch_with_references(uintptr_t function, const dim3& grid, const dim3& block, uint32_t shared_bytes,
                            hipStream_t queue, void** arguments) {
    constexpr EntryPoint kEntry = kEntry__ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv;
    if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
        stream::trace_command("hipLaunchKernelGGLImpl", nullptr, queue);
    Launch launch(queue, false);
    driver<kEntry>()(function, grid, block, shared_bytes, queue, arguments);
    launch.returned(hipSuccess);
}

}  // namespace xsched::hip
