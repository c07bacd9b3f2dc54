// The shim's way to the optional guards (platform/opencl/guards: preempt level 2 where OpenCL itself has none). Any
// thread.
#pragma once

#include <cstdint>

namespace xsched::opencl {

// The guards' hook of an entry point, which comes before ours; nullptr: none, nothing is guarded in this process, or
// the guards were left out of this build (XSCHED_OPENCL_GUARDS=OFF).
#if XSCHED_OPENCL_GUARDS
void* guard_hook_of(uint32_t entry);
#else
inline void* guard_hook_of(uint32_t) { return nullptr; }
#endif

}  // namespace xsched::opencl
