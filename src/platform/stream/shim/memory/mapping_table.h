// The program's handles and mappings of its own physical memory (physical.h): which there are, and when the memory
// behind them ends. Any thread, inside a DeviceUse (device_use.h: no memory is moved meanwhile) unless said. No lock is
// held while the driver is called.
#pragma once

#include "platform/stream/shim/memory/physical.h"

namespace xsched::stream::memory {

// Marks our handles. The driver's are addresses in its own process or small numbers, which have none of these bits
// (safety).
inline constexpr unsigned long long kOurHandle = 0x5853ull << 48;
constexpr bool is_ours(unsigned long long handle) { return handle >> 48 == kOurHandle >> 48; }

// Gives new memory its handle, for which the program has one reference.
void put_physical(Physical& memory);
// Counts a call that uses the handle. nullptr: the program has released it.
Physical* begin_call(unsigned long long handle);
// Ends a call that begin_call or take_mappings began. Frees the memory if it has no handle, mapping or call left.
void end_call(Physical* memory);
// Takes back one reference of the program, during a call.
void release_handle(Physical& memory);
// Gives the program one more reference to the memory at an address. 0: none of ours is there. Outside a DeviceUse too.
Handle retain_handle_at(Address address);

// Adds a mapping to the table. Call between begin_call and end_call of the memory's handle.
void put_mapping(Mapping& mapping);
// Takes out the mappings that lie in the range, and begins a call for each. They are a list by `next`.
Mapping* take_mappings(Address begin, size_t bytes);
// Notes which devices the driver has allowed to access the mappings in the range. If others than the memory's own
// device are among them, the memory stays in place from now on. Returns whether that is so.
bool open_mappings(Address begin, size_t bytes, const MemoryAccess* access, size_t count);

// Makes the memory at this address stay where it is, because other devices or processes may know it. Returns false if
// it is none of ours, or stays already.
bool keep_mapped_in_place(Address address);
// Makes the memory of a context stay where it is. Call before the driver destroys the context: the memory outlives the
// context, but can no longer be copied. Not inside a DeviceUse.
void keep_mapped_of(Context context);
// Forgets all mappings. Call in a forked child, which has no device.
void forget_mapped();

}  // namespace xsched::stream::memory
