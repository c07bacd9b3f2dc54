// CUDA in the terms of the code that shims of platforms with streams share (platform/stream/shim): what a call's
// arguments mean, and where the driver differs. The driver's own calls are in platform/cuda/hal/vendor.h.
#pragma once

#include <dlfcn.h>

#include <type_traits>

#include "host/rm_api.h"
#include "platform/stream/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"
#include "platform/stream/shim/unobserved_queues.h"

namespace xsched::stream {

// Returns whether a call to the kernel driver allocates, duplicates or frees (platform/nvidia/hal/channel_record.h).
constexpr bool is_recorded_ioctl(unsigned long request) {
    namespace rm = cuda::rm;
    if (_IOC_TYPE(request) != rm::NV_IOCTL_MAGIC) return false;
    const unsigned long number = _IOC_NR(request);
    return number == rm::NV_ESC_RM_ALLOC || number == rm::NV_ESC_RM_FREE || number == rm::NV_ESC_RM_DUP_OBJECT ||
           number == rm::NV_ESC_IOCTL_XFER_CMD;
}

// The driver destroys a thread's own stream only after the shim has heard of the thread's end.
inline constexpr bool kThreadStreamsEndFirst = false;
inline void hal_thread_over() {}

// A call of the program that we may answer ourselves. The driver keeps no last error of a thread.
struct OneCall {
    static Result returns(Result code) { return code; }
};

// Returns the context of an ordinary stream; nullptr: not known.
inline Context context_of_stream(Stream stream) {
    Context context = nullptr;
    const Api& api = *hal_api();
    return api.cuStreamGetCtx != nullptr && api.cuStreamGetCtx(stream, &context) == kSuccess ? context : nullptr;
}

template <typename T>
inline constexpr bool kIsLaunchConfig = std::is_same_v<T, const cuda::CUlaunchConfig*>;
inline Stream stream_of_config(const cuda::CUlaunchConfig& config) { return config.hStream; }
// Returns the stream of one launch among several.
inline Stream stream_of_launch(const cuda::CUDA_LAUNCH_PARAMS& launch) { return launch.hStream; }
inline Kernel kernel_of_launch(const cuda::CUDA_LAUNCH_PARAMS& launch) { return launch.function; }

// The call that asks where an address lies (copies.h).
inline constexpr EntryPoint kAskMemory = kEntry_cuPointerGetAttributes;
inline constexpr int kWhereAttribute = cuda::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;

// Returns the kernel's name; nullptr: the driver does not know it, or is too old to tell.
inline const char* kernel_name(Kernel kernel) {
    const char* name = nullptr;
    const auto of_function = driver<kEntry_cuFuncGetName>();
    if (of_function != nullptr && of_function(&name, kernel) == kSuccess) return name;
    // The driver also accepts a context-independent CUkernel where a launch takes a CUfunction.
    const auto of_kernel = driver<kEntry_cuKernelGetName>();
    const auto independent = reinterpret_cast<cuda::CUkernel>(kernel);
    return of_kernel != nullptr && of_kernel(&name, independent) == kSuccess ? name : nullptr;
}

// Returns nullptr: CUDA's driver interface knows kernels by its own handles alone, not by host functions.
inline const char* host_function_name(const void*, Stream) { return nullptr; }

// Large copies go in pieces by default, since that was measured to help.
inline constexpr bool kCopiesInPieces = true;
// Bytes per nanosecond that the driver scrubs after a call that frees them: 400 measured (docs/decisions/024), rounded
// down.
inline constexpr int64_t kScrubRate = 350;

// Returns the symbol that the libraries behind this one define.
inline void* next_symbol(const char* name) { return hal_dlsym()(RTLD_NEXT, name); }

// The beginnings of the names that programs look for by dlsym.
inline constexpr const char* kNamePrefixes[] = {"cu"};
// Returns nullptr: a program that opens the driver by its name opens this shim, so no function needs replacing.
inline const void* in_place_of(void*, const char*) { return nullptr; }

}  // namespace xsched::stream
