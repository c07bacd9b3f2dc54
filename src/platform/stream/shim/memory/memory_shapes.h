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

template <EntryPoint kEntry>
inline constexpr auto allocate_else = &memory::AllocatesElse<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto release_else = &memory::ReleasesElse<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto allocate_in_order = &memory::AllocatesInOrder<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto keeps_in_place = &memory::KeepsInPlace<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto shows_memory = &memory::ShowsMemory<kEntry>::call;

template <EntryPoint kEntry>
inline constexpr auto asks_of_physical = &memory::UsesPhysical<kEntry, false>::call;
template <EntryPoint kEntry>
inline constexpr auto shows_physical = &memory::UsesPhysical<kEntry, true>::call;
template <EntryPoint kEntry>
inline constexpr auto asks_of_memory = &memory::AsksOfMemory<kEntry>::call;
template <EntryPoint kEntry>
inline constexpr auto gives_other = &memory::GivesOther<kEntry>::call;

using memory::allocate;
using memory::ask_address_range;
using memory::ask_attribute;
using memory::ask_attributes;
using memory::ask_free_memory;
using memory::ask_pool;
using memory::ask_total_memory;
using memory::close_shared_memory;
using memory::create_physical;
using memory::enable_peer_access;
using memory::make_texture;
using memory::map_memory;
using memory::open_memory;
using memory::open_pool;
using memory::open_shared_memory;
using memory::release;
using memory::release_in_order;
using memory::release_physical;
using memory::retain_handle;
using memory::set_attribute;
using memory::set_pool;
using memory::share_memory;
using memory::trim_pool;
using memory::unmap_memory;

}  // namespace xsched::stream
