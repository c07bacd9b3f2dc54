#include "shim/cuda/launch.h"

#include <new>

namespace xsched::cuda {

using stream::Launch;

CUresult launch_on_several(CUDA_LAUNCH_PARAMS* list, unsigned count, unsigned flags) {
    constexpr unsigned kMost = 64;  // devices; the driver takes one launch per device
    const auto call = driver<kEntry_cuLaunchCooperativeKernelMultiDevice>();
    if (list == nullptr || count > kMost) return call(list, count, flags);
    alignas(Launch) unsigned char places[kMost][sizeof(Launch)];
    for (unsigned i = 0; i < count; ++i) {
        if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
            stream::trace_command("cuLaunchCooperativeKernelMultiDevice", list[i].function, list[i].hStream);
        new (&places[i]) Launch(list[i].hStream, false);
    }
    const CUresult code = call(list, count, flags);
    for (unsigned i = 0; i < count; ++i) std::launder(reinterpret_cast<Launch*>(&places[i]))->returned(code);
    return code;
}

}  // namespace xsched::cuda
