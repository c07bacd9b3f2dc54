// The process's way to the vendor's HIP runtime. Any thread.
#pragma once

#include "platform/hip/hal/api.h"

namespace xsched::hip {

// The functions to use, looked up in the runtime at the first call; they never change. nullptr: there is no HIP
// runtime, or one that nothing can be scheduled on; the log has said so.
const HipApi* vendor_api();

// dlsym of the C library: the shim has one of its own, for programs.
using Dlsym = void* (*)(void* library, const char* name);
Dlsym real_dlsym();
inline void* symbol_in(void* library, const char* name) { return real_dlsym()(library, name); }

}  // namespace xsched::hip
