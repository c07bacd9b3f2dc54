// CUDA's hooks, by the names that api/cuda.json has for them: those that all platforms with streams have, and
//
//   context_destroy, green_context_destroy, primary_retain, primary_release, primary_reset   the life of contexts
//   get_proc_address                                                                         asked for functions
#pragma once

#include "platform/cuda/shim/contexts.h"
#include "platform/cuda/shim/proc_address.h"
#include "platform/stream/shim/common_shapes.h"

namespace xsched::stream {

using cuda::context_destroy;
using cuda::get_proc_address;
using cuda::green_context_destroy;
using cuda::primary_release;
using cuda::primary_reset;
using cuda::primary_retain;

// What the driver calls itself does not come by here.
template <EntryPoint kEntry, auto kHook>
inline constexpr auto from_program = kHook;

}  // namespace xsched::stream
