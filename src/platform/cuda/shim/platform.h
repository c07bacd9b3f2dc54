// CUDA as the code shared by shims of streams (platform/stream/shim) sees it: the device library's entries under general names,
// and what a call's arguments mean. The driver's own calls are in platform/cuda/hal/vendor.h.
#pragma once

#include <dlfcn.h>

#include <type_traits>

#include "platform/cuda/hal/hal_abi.h"
#include "platform/cuda/hal/rm_api.h"
#include "platform/cuda/shim/entry_points.h"
#include "vendor.h"

namespace xsched::stream {

using cuda::Declared;
using cuda::driver;
using cuda::EntryPoint;

using WrappedStream = XcuStream;
inline const Api* hal_api() { return xcu_api(); }
inline XResult hal_wrap(WrappedStream* wrapped, uint32_t kind, Stream stream, Context context) {
    return xcu_wrap(wrapped, kind, stream, context);
}
inline XResult hal_find(HwQueueHandle* hwq, uint32_t kind, Stream stream, Context context) {
    return xcu_find(hwq, kind, stream, context);
}
inline void hal_pause() { xcu_pause(); }
inline void hal_unpause() { xcu_unpause(); }
inline void hal_context_going(Context context) { xcu_context_going(context); }

// Calls to the kernel driver that allocate or free (platform/cuda/hal/channel_record.h).
constexpr bool is_recorded_ioctl(unsigned long request) {
    namespace rm = cuda::rm;
    if (_IOC_TYPE(request) != rm::NV_IOCTL_MAGIC) return false;
    const unsigned long number = _IOC_NR(request);
    return number == rm::NV_ESC_RM_ALLOC || number == rm::NV_ESC_RM_FREE || number == rm::NV_ESC_IOCTL_XFER_CMD;
}
inline int hal_ioctl(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*)) {
    return xcu_ioctl(fd, request, argument, next);
}

// The driver ends a thread's own stream after we have heard of the thread's end.
inline constexpr bool kThreadStreamsEndFirst = false;
inline void hal_thread_over() {}

// The context of an ordinary stream; nullptr: not known.
inline Context context_of_stream(Stream stream) {
    Context context = nullptr;
    const Api& api = *xcu_api();
    return api.cuStreamGetCtx != nullptr && api.cuStreamGetCtx(stream, &context) == kSuccess ? context : nullptr;
}
// Whether the stream waits for the legacy default stream, and it for this one.
inline bool stream_blocks(const Api& api, Stream stream) {
    unsigned flags = 0;
    api.cuStreamGetFlags(stream, &flags);
    return (flags & cuda::CU_STREAM_NON_BLOCKING) == 0;
}

template <typename T>
inline constexpr bool kIsLaunchConfig = std::is_same_v<T, const cuda::CUlaunchConfig*>;
inline Stream stream_of_config(const cuda::CUlaunchConfig& config) { return config.hStream; }
// Of one launch among several.
inline Stream stream_of_launch(const cuda::CUDA_LAUNCH_PARAMS& launch) { return launch.hStream; }
inline Kernel kernel_of_launch(const cuda::CUDA_LAUNCH_PARAMS& launch) { return launch.function; }

// nullptr: the driver does not know, or is too old to say.
inline const char* kernel_name(Kernel kernel) {
    const char* name = nullptr;
    const auto of_function = driver<cuda::kEntry_cuFuncGetName>();
    if (of_function != nullptr && of_function(&name, kernel) == kSuccess) return name;
    // A launch takes a context-independent CUkernel in a CUfunction's place as well.
    const auto of_kernel = driver<cuda::kEntry_cuKernelGetName>();
    const auto independent = reinterpret_cast<cuda::CUkernel>(kernel);
    return of_kernel != nullptr && of_kernel(&name, independent) == kSuccess ? name : nullptr;
}

// As an XQueue's: larger is more urgent.
inline int32_t stream_priority(const Api& api, Stream stream) {
    int priority = 0;
    api.cuStreamGetPriority(stream, &priority);
    return -priority;
}
// Streams do not share hardware queues in a way that lets one wait for another.
inline unsigned hardware_queues() { return 0; }

// The symbol in the libraries behind this one.
inline void* next_symbol(const char* name) { return dlsym(RTLD_NEXT, name); }

}  // namespace xsched::stream
