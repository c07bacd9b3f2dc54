// CANN as the code shared by shims of streams (platform/stream/shim) sees it: what a call's arguments mean, and where
// the runtime differs. The runtime's own calls are in platform/ascend/hal/vendor.h.
#pragma once

#include <dlfcn.h>

#include "platform/stream/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"
#include "platform/stream/shim/unobserved_queues.h"

namespace xsched::stream {

// No stream belongs to a thread.
inline constexpr bool kThreadStreamsEndFirst = false;
inline void hal_thread_over() {}

// Returns nullptr: the runtime does not tell. Its functions demand that the stream's context is current.
inline Context context_of_stream(Stream) { return nullptr; }

// No launch names its stream in a configuration.
template <typename T>
inline constexpr bool kIsLaunchConfig = false;

inline const char* kernel_name(Kernel) { return nullptr; }
inline const char* host_function_name(const void*, Stream) { return nullptr; }

// How many calls of the program or of XSched the thread is inside of (from_program.h).
inline uint32_t& calls_inside() { return xasc_inside; }

// Returns the symbol that the libraries behind this one define. The shim has taken dlsym, and the C library's answer
// depends on the caller.
inline void* next_symbol(const char* name) { return hal_dlsym()(RTLD_NEXT, name); }

// The beginnings of the names that programs look for by dlsym.
inline constexpr const char* kNamePrefixes[] = {"acl", "rt"};
// (stream/shim/in_place_of.cpp) Our function, where dlsym would find the runtime's; nullptr: it would not, or we leave
// it.
const void* in_place_of(void* library, const char* name);

}  // namespace xsched::stream
