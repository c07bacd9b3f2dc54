// CUDA's hooks, by the names that api/cuda.json has for them: those that all platforms with streams have
// (stream/shim/common_shapes.h, stream/shim/memory/memory_shapes.h), and
//
//   context_create, context_destroy, green_context_destroy, primary_retain, primary_release, primary_reset
//                                                                     the life of contexts
//   copy_rows                                                         rows.h
//   get_proc_address                                                  asked for functions
#pragma once

#include "platform/cuda/shim/contexts.h"
#include "platform/cuda/shim/proc_address.h"
#include "platform/cuda/shim/rows.h"
#include "platform/stream/shim/common_shapes.h"
#include "platform/stream/shim/memory/memory_shapes.h"

namespace xsched::stream {

// Names, for a copy function that waits, the function that does the same copy and returns at once.
#define XSCHED_AT_ONCE(waiting, at_once) \
    template <>                          \
    inline constexpr EntryPoint kAtOnce<kEntry_##waiting> = kEntry_##at_once;
XSCHED_AT_ONCE(cuMemcpy, cuMemcpyAsync)
XSCHED_AT_ONCE(cuMemcpy_ptds, cuMemcpyAsync_ptsz)
XSCHED_AT_ONCE(cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2)
XSCHED_AT_ONCE(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoDAsync_v2_ptsz)
XSCHED_AT_ONCE(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2)
XSCHED_AT_ONCE(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoHAsync_v2_ptsz)
XSCHED_AT_ONCE(cuMemcpyDtoD_v2, cuMemcpyDtoDAsync_v2)
XSCHED_AT_ONCE(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoDAsync_v2_ptsz)
XSCHED_AT_ONCE(cuMemcpy2D_v2, cuMemcpy2DAsync_v2)
XSCHED_AT_ONCE(cuMemcpy2D_v2_ptds, cuMemcpy2DAsync_v2_ptsz)
XSCHED_AT_ONCE(cuMemcpyPeer, cuMemcpyPeerAsync)
XSCHED_AT_ONCE(cuMemcpyPeer_ptds, cuMemcpyPeerAsync_ptsz)
#undef XSCHED_AT_ONCE

template <EntryPoint kEntry>
inline constexpr auto copy_rows = &cuda::InRows<kEntry, &Scheduled<kEntry>::call>::call;

// The hook for calls of the program. For CUDA it is the hook itself: the driver's own calls do not come through the
// shim.
template <EntryPoint kEntry, auto kHook>
inline constexpr auto from_program = kHook;

}  // namespace xsched::stream
