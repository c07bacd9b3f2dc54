// HIP's hooks, by the names that api/hip.json has for them: those that all platforms with streams have, and
//
//   copied             a copy that is complete when it returns, if it is one to the host (launch.h)
//   copied_copy        the same, in pieces while others compete (stream/shim/copies.h)
//   copied_rows, copy_rows                                      copies of rows, in pieces of whole rows (rows.h)
//   with_events        a kernel between two event records (launch.h)
//   configure_call, launch_by_pointer, launch_with_references   launches of their own kind (launch.h)
//   device_reset, primary_reset                                 the life of devices (contexts.h)
//   last_error         (last_error.h)
//   graph_made, stream_attributes                               (streams.h)
//   get_proc_address   asked for functions (proc_address.h)
//   enable_context_access, ask_memory_size                      (memory_shapes.h)
#pragma once

#include "platform/hip/shim/contexts.h"
#include "platform/hip/shim/last_error.h"
#include "platform/hip/shim/launch.h"
#include "platform/hip/shim/memory_shapes.h"
#include "platform/hip/shim/proc_address.h"
#include "platform/hip/shim/rows.h"
#include "platform/hip/shim/streams.h"
#include "platform/stream/shim/common_shapes.h"
#include "platform/stream/shim/from_program.h"
#include "platform/stream/shim/memory/memory_shapes.h"

namespace xsched::stream {

// Names, for a copy function that waits, the function that does the same copy and returns at once.
#define XSCHED_AT_ONCE(waiting, at_once) \
    template <>                          \
    inline constexpr EntryPoint kAtOnce<kEntry_##waiting> = kEntry_##at_once;
XSCHED_AT_ONCE(hipMemcpy, hipMemcpyAsync)
XSCHED_AT_ONCE(hipMemcpy_spt, hipMemcpyAsync_spt)
XSCHED_AT_ONCE(hipMemcpyWithStream, hipMemcpyAsync)
XSCHED_AT_ONCE(hipMemcpyHtoD, hipMemcpyHtoDAsync)
XSCHED_AT_ONCE(hipMemcpyDtoH, hipMemcpyDtoHAsync)
XSCHED_AT_ONCE(hipMemcpyDtoD, hipMemcpyDtoDAsync)
XSCHED_AT_ONCE(hipMemcpyPeer, hipMemcpyPeerAsync)
XSCHED_AT_ONCE(hipMemcpy2D, hipMemcpy2DAsync)
XSCHED_AT_ONCE(hipMemcpy2D_spt, hipMemcpy2DAsync_spt)
#undef XSCHED_AT_ONCE

template <EntryPoint kEntry>
inline constexpr auto copied_copy = &InPieces<kEntry, hip::copied<kEntry>>::call;
template <EntryPoint kEntry>
inline constexpr auto copied_rows = &hip::InRows<kEntry, hip::copied<kEntry>>::call;
template <EntryPoint kEntry>
inline constexpr auto copy_rows = &hip::InRows<kEntry, &Scheduled<kEntry>::call>::call;

using hip::ask_memory_size;
using hip::configure_call;
using hip::copied;
using hip::device_reset;
using hip::enable_context_access;
using hip::get_proc_address;
using hip::graph_made;
using hip::last_error;
using hip::launch_by_pointer;
using hip::launch_with_references;
using hip::primary_reset;
using hip::stream_attributes;
using hip::with_events;

}  // namespace xsched::stream
