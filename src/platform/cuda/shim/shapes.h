// CUDA's hooks, by the names that api/cuda.json has for them: those that all platforms with streams have, and
//
//   context_create, context_destroy, green_context_destroy, primary_retain, primary_release, primary_reset
//                                                                     the life of contexts
//   allocate, allocate_else, allocate_in_order, release, release_in_order, release_else, ask_free_memory,
//   ask_total_memory, shows_memory, set_attribute, share_memory       spare_memory.h
//   ask_address_range, ask_attribute, ask_attributes, keeps_in_place, make_texture, enable_peer_access  evictable.h
//   open_shared_memory, close_shared_memory                           opened_memory.h
//   create_physical, release_physical, map_memory, unmap_memory, open_memory, retain_handle, asks_of_physical,
//   shows_physical, asks_of_memory, gives_other                       mapped_memory.h
//   ask_pool, set_pool, trim_pool, open_pool                          pool_memory.h
//   copy_rows                                                         rows.h
//   get_proc_address                                                  asked for functions
#pragma once

#include "platform/cuda/shim/contexts.h"
#include "platform/cuda/shim/mapped_memory.h"
#include "platform/cuda/shim/opened_memory.h"
#include "platform/cuda/shim/pool_memory.h"
#include "platform/cuda/shim/proc_address.h"
#include "platform/cuda/shim/rows.h"
#include "platform/cuda/shim/spare_memory.h"
#include "platform/stream/shim/common_shapes.h"

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

template <EntryPoint kEntry>
inline constexpr auto allocate_else = &cuda::AllocatesElse<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto release_else = &cuda::ReleasesElse<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto allocate_in_order = &cuda::AllocatesInOrder<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto keeps_in_place = &cuda::KeepsInPlace<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto shows_memory = &cuda::ShowsMemory<kEntry>::call;

template <EntryPoint kEntry>
inline constexpr auto asks_of_physical = &cuda::UsesPhysical<kEntry, false>::call;
template <EntryPoint kEntry>
inline constexpr auto shows_physical = &cuda::UsesPhysical<kEntry, true>::call;
template <EntryPoint kEntry>
inline constexpr auto asks_of_memory = &cuda::AsksOfMemory<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto gives_other = &cuda::GivesOther<kEntry>::call;

using cuda::allocate;
using cuda::ask_address_range;
using cuda::ask_attribute;
using cuda::ask_attributes;
using cuda::ask_free_memory;
using cuda::ask_pool;
using cuda::ask_total_memory;
using cuda::close_shared_memory;
using cuda::context_create;
using cuda::context_destroy;
using cuda::create_physical;
using cuda::enable_peer_access;
using cuda::get_proc_address;
using cuda::green_context_destroy;
using cuda::make_texture;
using cuda::map_memory;
using cuda::open_memory;
using cuda::open_pool;
using cuda::open_shared_memory;
using cuda::primary_release;
using cuda::primary_reset;
using cuda::primary_retain;
using cuda::release;
using cuda::release_in_order;
using cuda::release_physical;
using cuda::retain_handle;
using cuda::set_attribute;
using cuda::set_pool;
using cuda::share_memory;
using cuda::trim_pool;
using cuda::unmap_memory;

// The hook for calls of the program. For CUDA it is the hook itself: the driver's own calls do not come through the
// shim.
template <EntryPoint kEntry, auto kHook>
inline constexpr auto from_program = kHook;

}  // namespace xsched::stream
