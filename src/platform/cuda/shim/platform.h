// CUDA as the code shared by shims of streams (platform/stream/shim) sees it: what a call's arguments mean, and where
// the driver differs. The driver's own calls are in platform/cuda/hal/vendor.h.
#pragma once

#include <dlfcn.h>

#include <type_traits>

#include "host/rm_api.h"
#include "platform/stream/hal/hal_abi.h"
#include "platform/stream/hal/hardware_use.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::stream {

// Calls to the kernel driver that allocate or free (platform/cuda/hal/channel_record.h).
constexpr bool is_recorded_ioctl(unsigned long request) {
    namespace rm = cuda::rm;
    if (_IOC_TYPE(request) != rm::NV_IOCTL_MAGIC) return false;
    const unsigned long number = _IOC_NR(request);
    return number == rm::NV_ESC_RM_ALLOC || number == rm::NV_ESC_RM_FREE || number == rm::NV_ESC_IOCTL_XFER_CMD;
}

// The driver ends a thread's own stream after we have heard of the thread's end.
inline constexpr bool kThreadStreamsEndFirst = false;
inline void hal_thread_over() {}

// The context of an ordinary stream; nullptr: not known.
inline Context context_of_stream(Stream stream) {
    Context context = nullptr;
    const Api& api = *hal_api();
    return api.cuStreamGetCtx != nullptr && api.cuStreamGetCtx(stream, &context) == kSuccess ? context : nullptr;
}

template <typename T>
inline constexpr bool kIsLaunchConfig = std::is_same_v<T, const cuda::CUlaunchConfig*>;
inline Stream stream_of_config(const cuda::CUlaunchConfig& config) { return config.hStream; }
// Of one launch among several.
inline Stream stream_of_launch(const cuda::CUDA_LAUNCH_PARAMS& launch) { return launch.hStream; }
inline Kernel kernel_of_launch(const cuda::CUDA_LAUNCH_PARAMS& launch) { return launch.function; }

// The question where an address points to (copies.h).
inline constexpr EntryPoint kAskMemory = kEntry_cuPointerGetAttributes;
inline constexpr int kWhereAttribute = cuda::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;

// nullptr: the driver does not know, or is too old to say.
inline const char* kernel_name(Kernel kernel) {
    const char* name = nullptr;
    const auto of_function = driver<kEntry_cuFuncGetName>();
    if (of_function != nullptr && of_function(&name, kernel) == kSuccess) return name;
    // A launch takes a context-independent CUkernel in a CUfunction's place as well.
    const auto of_kernel = driver<kEntry_cuKernelGetName>();
    const auto independent = reinterpret_cast<cuda::CUkernel>(kernel);
    return of_kernel != nullptr && of_kernel(&name, independent) == kSuccess ? name : nullptr;
}

// The driver's interface knows kernels by its own handles alone.
inline const char* host_function_name(const void*, Stream) { return nullptr; }

// Streams do not share hardware queues in a way that lets one wait for another.
inline constexpr bool kSharesHardware = false;
// Whether large copies go in pieces unless the program's user says otherwise: where that was measured to help.
inline constexpr bool kCopiesInPieces = true;
// Bytes per nanosecond that the driver scrubs behind a call that frees them: measured 400 (docs/decisions/024).
inline constexpr int64_t kScrubRate = 350;
struct CallWatchState {};
inline bool queues_observed() { return false; }
inline void call_begins(const HardwareUse&, bool, CallWatchState*) {}
inline bool call_returned(HardwareUse&, bool, const CallWatchState&) { return false; }
inline void follow_use(HwQueueHandle, const HardwareUse&) {}
inline void call_settled(const HardwareUse&) {}

// The symbol in the libraries behind this one.
inline void* next_symbol(const char* name) { return hal_dlsym()(RTLD_NEXT, name); }

}  // namespace xsched::stream
