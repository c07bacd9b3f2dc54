// The hooks of calls about memory that platforms with streams have in common, by the names that api/<p>.json has for
// them ("hook").
//
//   allocate, allocate_else, allocate_in_order, release, release_in_order, release_else, ask_free_memory,
//   ask_total_memory, shows_memory, set_attribute, share_memory       spare_memory.h
//   ask_address_range, ask_attribute, ask_attributes, keeps_in_place, make_texture, enable_peer_access  evictable.h
//   open_shared_memory, close_shared_memory                           opened_memory.h
//   create_physical, release_physical, map_memory, unmap_memory, open_memory, retain_handle, asks_of_physical,
//   shows_physical, asks_of_memory, gives_other                       mapped_memory.h
//   ask_pool, set_pool, trim_pool, open_pool                          pool_memory.h
#pragma once

#include "platform/stream/shim/memory/mapped_memory.h"
#include "platform/stream/shim/memory/opened_memory.h"
#include "platform/stream/shim/memory/pool_memory.h"
#include "platform/stream/shim/memory/spare_memory.h"

namespace xsched::stream {

// A hook of a call that we may answer ourselves, or after several calls of the driver.
template <auto kHook>
struct InOneCall;
template <typename... Arguments, Result (*kHook)(Arguments...)>
struct InOneCall<kHook> {
    static Result call(Arguments... arguments) {
        const OneCall one;
        return one.returns(kHook(arguments...));
    }
};
#define XSCHED_MEMORY_HOOK(name, ...) \
    template <EntryPoint kEntry>      \
    inline constexpr auto name = &InOneCall<&memory::__VA_ARGS__>::call;
XSCHED_MEMORY_HOOK(allocate_else, AllocatesElse<kEntry>::call)
XSCHED_MEMORY_HOOK(release_else, ReleasesElse<kEntry>::call)
XSCHED_MEMORY_HOOK(allocate_in_order, AllocatesInOrder<kEntry>::call)
XSCHED_MEMORY_HOOK(asks_of_physical, UsesPhysical<kEntry, false>::call)
XSCHED_MEMORY_HOOK(shows_physical, UsesPhysical<kEntry, true>::call)
XSCHED_MEMORY_HOOK(allocate, allocate<kEntry>)
XSCHED_MEMORY_HOOK(create_physical, create_physical<kEntry>)
XSCHED_MEMORY_HOOK(map_memory, map_memory<kEntry>)
XSCHED_MEMORY_HOOK(open_memory, open_memory<kEntry>)
XSCHED_MEMORY_HOOK(open_shared_memory, open_shared_memory<kEntry>)
XSCHED_MEMORY_HOOK(release, release<kEntry>)
XSCHED_MEMORY_HOOK(release_in_order, release_in_order<kEntry>)
XSCHED_MEMORY_HOOK(release_physical, release_physical<kEntry>)
XSCHED_MEMORY_HOOK(retain_handle, retain_handle<kEntry>)
XSCHED_MEMORY_HOOK(set_attribute, set_attribute<kEntry>)
XSCHED_MEMORY_HOOK(unmap_memory, unmap_memory<kEntry>)
#undef XSCHED_MEMORY_HOOK

// Hooks that call the driver once, or have no error of their own to tell.
template <EntryPoint kEntry>
inline constexpr auto keeps_in_place = &memory::KeepsInPlace<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto shows_memory = &memory::ShowsMemory<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto asks_of_memory = &memory::AsksOfMemory<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto gives_other = &memory::GivesOther<kEntry>::call;

using memory::ask_address_range;
using memory::ask_attribute;
using memory::ask_attributes;
using memory::ask_free_memory;
using memory::ask_pool;
using memory::ask_total_memory;
using memory::close_shared_memory;
using memory::enable_peer_access;
using memory::make_texture;
using memory::open_pool;
using memory::set_pool;
using memory::share_memory;
using memory::trim_pool;

}  // namespace xsched::stream
