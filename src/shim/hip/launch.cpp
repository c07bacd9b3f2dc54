#include "shim/hip/launch.h"

#include <new>

namespace xsched::hip {
namespace {

hipStream_t stream_of(const hipLaunchParams& launch) { return launch.stream; }
hipStream_t stream_of(const hipFunctionLaunchParams& launch) { return launch.hStream; }

template <EntryPoint kEntry, typename Parameters, typename Count>
hipError_t launch_on_several(Parameters* list, Count count, unsigned flags) {
    constexpr unsigned kMost = 64;  // devices; the runtime takes one launch per device
    if (list == nullptr || static_cast<unsigned>(count) > kMost) return driver<kEntry>()(list, count, flags);
    alignas(Launch) unsigned char places[kMost][sizeof(Launch)];
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
        if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
            stream::trace_command(Declared<kEntry>::kName, nullptr, stream_of(list[i]));
        new (&places[i]) Launch(stream_of(list[i]), false);
    }
    const hipError_t code = driver<kEntry>()(list, count, flags);
    for (unsigned i = 0; i < static_cast<unsigned>(count); ++i)
        std::launder(reinterpret_cast<Launch*>(&places[i]))->returned(code);
    return code;
}

// The streams of configured calls that this thread has not launched yet.
constexpr unsigned kMostConfigured = 16;
struct Configured {
    hipStream_t streams[kMostConfigured];
    unsigned count;
};
[[gnu::tls_model("initial-exec")]] thread_local Configured t_configured = {};

}  // namespace

hipError_t launch_kernels_on_several(hipLaunchParams* list, int count, unsigned flags) {
    return launch_on_several<kEntry_hipExtLaunchMultiKernelMultiDevice>(list, count, flags);
}
hipError_t launch_cooperative_on_several(hipLaunchParams* list, int count, unsigned flags) {
    return launch_on_several<kEntry_hipLaunchCooperativeKernelMultiDevice>(list, count, flags);
}
hipError_t launch_functions_on_several(hipFunctionLaunchParams* list, unsigned count, unsigned flags) {
    return launch_on_several<kEntry_hipModuleLaunchCooperativeKernelMultiDevice>(list, count, flags);
}

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
