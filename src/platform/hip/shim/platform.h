// HIP as the code shared by shims of streams (platform/stream/shim) sees it: what a call's arguments mean, and where
// the runtime differs. The runtime's own calls are in platform/hip/hal/vendor.h.
#pragma once

#include <dlfcn.h>

#include <type_traits>

#include "base/no_copies.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/hal/kfd_api.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::stream {

// Returns whether an ioctl is a call to KFD (platform/hip/hal/driver_queues.h). Calls to the console have the same
// letter, but neither direction nor size.
constexpr bool is_recorded_ioctl(unsigned long request) {
    return _IOC_TYPE(request) == hip::kfd::AMDKFD_IOCTL_BASE && _IOC_DIR(request) != _IOC_NONE;
}

// A thread's own stream has ended, with all its work done, before we hear of the thread's end. And from there on the
// runtime must not be called on that thread, whose part of the runtime is gone.
inline constexpr bool kThreadStreamsEndFirst = true;
inline void hal_thread_over() { xhip_thread_over(); }

// A call of the program that we may answer ourselves, or after several calls of the runtime.
class OneCall : base::NoCopies {
public:
    // Returns `code`, with the thread's last error as after one call of the runtime.
    Result returns(Result code) const {
        xhip_settle_error(before_, code);
        return code;
    }

private:
    const Result before_ = xhip_last_error();
};

// Returns the context of an ordinary stream; nullptr: not known.
inline Context context_of_stream(Stream stream) { return xhip_context_of(stream); }

template <typename T>
inline constexpr bool kIsLaunchConfig =
    std::is_same_v<T, const hip::hipLaunchConfig_t*> || std::is_same_v<T, const hip::HIP_LAUNCH_CONFIG*>;
inline Stream stream_of_config(const hip::hipLaunchConfig_t& config) { return config.stream; }
inline Stream stream_of_config(const hip::HIP_LAUNCH_CONFIG& config) { return config.hStream; }
// Returns the stream of one launch among several.
inline Stream stream_of_launch(const hip::hipLaunchParams& launch) { return launch.stream; }
inline Stream stream_of_launch(const hip::hipFunctionLaunchParams& launch) { return launch.hStream; }
template <typename Parameters>
Kernel kernel_of_launch(const Parameters&) {
    return nullptr;
}

// The question where an address points to (copies.h).
inline constexpr EntryPoint kAskMemory = kEntry_hipDrvPointerGetAttributes;
inline constexpr int kWhereAttribute = hip::HIP_POINTER_ATTRIBUTE_HOST_POINTER;

// Returns the kernel's name; nullptr if it is not known.
inline const char* kernel_name(Kernel kernel) {
    const auto name = driver<kEntry_hipKernelNameRef>();
    return name != nullptr ? name(kernel) : nullptr;
}
inline const char* host_function_name(const void* function, Stream stream) {
    const auto name = driver<kEntry_hipKernelNameRefByPtr>();
    return name != nullptr ? name(function, stream) : nullptr;
}

// Streams of one priority share a fixed number of a device's hardware queues. A closed gate in such a queue blocks what
// other streams have behind it there. (streams.cpp)
inline constexpr bool kSharesHardware = true;
// Large copies go whole by default, since pieces have not been measured.
inline constexpr bool kCopiesInPieces = false;
// Calls that free memory are never delayed on HIP. It has not been measured whether freeing delays other programs'
// copies there.
inline constexpr int64_t kScrubRate = 0;
unsigned hardware_queues();
// Returns whether streams of different priorities share hardware queues as well.
bool priorities_ignored();
// Returns whether the runtime may move a stream to another hardware queue.
bool streams_move();

// How many calls of the program or of XSched the thread is inside of (from_program.h).
inline uint32_t& calls_inside() { return xhip_own_calls; }
template <EntryPoint kEntry, typename... Arguments>
constexpr bool is_left_alone(Arguments...) {
    return false;
}

// Watches during a call of the runtime to which hardware queue the stream's command goes
// (platform/hip/hal/hsa_observer.h).
using CallWatchState = XhipCallWatch;
inline bool queues_observed() { return xhip_queues_observed(); }
inline void call_begins(const HardwareUse& use, bool wide, CallWatchState* state) {
    xhip_call_begins(&use, wide, state);
}
inline bool call_returned(HardwareUse& use, bool wide, const CallWatchState& state) {
    return xhip_call_returned(&use, wide, &state);
}
inline void follow_use(HwQueueHandle hwq, const HardwareUse& use) { xhip_follow_use(hwq, &use); }
inline void call_settled(const HardwareUse& use) { xhip_call_settled(&use); }

// Returns the symbol that the libraries behind this one define. The shim has taken dlsym, and the C library's answer
// depends on the caller.
inline void* next_symbol(const char* name) { return hal_dlsym()(RTLD_NEXT, name); }

// The beginnings of the names that programs look for by dlsym.
inline constexpr const char* kNamePrefixes[] = {"hip"};
// (stream/shim/in_place_of.cpp) Our function, where dlsym would find the runtime's; nullptr: it would not, or we leave
// it.
const void* in_place_of(void* library, const char* name);

}  // namespace xsched::stream
