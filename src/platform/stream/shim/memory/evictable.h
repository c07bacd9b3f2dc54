// Memory that may be taken off the device and brought back while the program is kept from using it (XSCHED_EVICTABLE,
// docs/memory.md). Allocations of 2 MiB and more are made of pieces (memory_pieces.h); smaller ones stay the driver's
// own. The scheduler's orders come by queue/abi/memory_abi.h, on the errands' thread.
//
// And the other side: an allocation that the driver refuses asks the scheduler for memory of less urgent programs.
#pragma once

#include "platform/stream/shim/device_use.h"
#include "platform/stream/shim/memory/opened_memory.h"
#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

// How often one allocation asks the scheduler for room at most (safety).
inline constexpr int kMostTries = 4;

// Makes memory movable from the program's start on, if --evictable says so. Call before the program's first call.
void begin_evictable();
// Returns whether an allocation of this size is to be movable. The answer may change at any time (XHintEvictable).
bool may_move_new_memory(size_t bytes);
// Returns whether memory on the context's device can move: the first such memory says which device it is.
bool moves_on_device_of(Context context);
// Allocate and free movable memory in place of the driver's calls, whose result is stored in `code`. Return false if
// the caller must make the driver's call instead.
bool allocate_evictable(Address* memory, size_t bytes, Result* code);
bool release_evictable(Address memory, Result* code);
// Gives back movable memory that neither the device nor the program uses any more.
void give_back_unused(Address memory);
// Answers cuMemGetAddressRange for movable memory and for memory of other processes. Returns false if the address is
// in neither.
bool range_of_evictable(Address* begin, size_t* bytes, Address address);
// Frees the movable memory of a context, and stops counting the rest. Call before the driver destroys the context, when
// its work is complete or no longer matters.
void forget_memory_of(Context context);

// Lets the current device use the movable memory of that context, as it may use any other memory there.
Result show_to_current_device(Context context);
// Makes the allocation around this address stay where it is, because the call `function` makes it known to other
// devices or processes.
void keep_in_place(Address address, const char* function);
// Makes the memory that a texture reads stay where it is. `resource`: cuda.h's CUDA_RESOURCE_DESC.
void keep_textured_in_place(const void* resource, const char* function);
// Names the allocation around this address for other processes (shared_name.h) in place of the driver's call, and makes
// it stay where it is. Returns false if the address is in no movable memory, or that memory cannot be shared so.
bool name_evictable(IpcName* name, Address address);
// Stops all moves after the driver has refused to name memory at this address for other processes: the driver names
// only memory that it allocated itself, so the program gets such memory from now on.
void stay_to_be_shared(Address address);
// Logs that memory which this function allocates is never moved.
void say_that_it_stays(const char* function);
// Sets kSyncAttribute for movable memory by asking for the same for the whole context, since the
// driver takes it only for memory of its own cuMemAlloc. Returns false if the address is in no movable memory, or the
// driver is too old.
bool wait_for_copies(const void* value, int attribute, Address address);
// Corrects the driver's answer about an address.
void note_attribute(void* value, int attribute, Address address);

// Asks other programs for memory after the driver has refused `bytes` bytes. Returns whether they have given memory
// back, so that the allocation should be tried again. `tries`: how often the allocation has been tried again before.
// May wait for seconds; holds no lock.
bool ask_for_memory(size_t bytes, int tries);

// Returns whether there may be memory that is made of several pieces, of which the driver knows each by itself.
inline bool has_ranges() { return memory_moves() || some_opened(); }

// Calls the driver while the program's memory is on the device.
template <EntryPoint kEntry, typename... Arguments>
Result ask_of_memory(Arguments... arguments) {
    DeviceUse use;
    const Result code = driver<kEntry>()(arguments...);
    use.leave();
    return code;
}

template <EntryPoint kEntry>
Result ask_address_range(DevicePtr* begin, size_t* bytes, DevicePtr address) {
    Address found = 0;
    if (has_ranges() && range_of_evictable(&found, bytes, address_in(address))) {
        if (begin != nullptr) *begin = pointer_to(found);
        return kSuccess;
    }
    return ask_of_memory<kEntry>(begin, bytes, address);
}

template <EntryPoint kEntry, typename Peer>
Result enable_peer_access(Peer peer, unsigned flags) {
    Result code = driver<kEntry>()(peer, flags);
    if (code != kSuccess || !memory_moves()) return code;
    code = show_to_current_device(context_of_peer(peer));
    if (code != kSuccess) driver<kDisablePeerAccess>()(peer);
    return code;
}

template <EntryPoint kEntry>
Result ask_attribute(void* value, int attribute, DevicePtr address) {
    const Result code = ask_of_memory<kEntry>(value, attribute, address);
    if (code == kSuccess && has_ranges()) note_attribute(value, attribute, address_in(address));
    return code;
}

template <EntryPoint kEntry>
Result ask_attributes(unsigned count, int* attributes, void** values, DevicePtr address) {
    const Result code = ask_of_memory<kEntry>(count, attributes, values, address);
    if (code != kSuccess || !has_ranges()) return code;
    for (unsigned i = 0; i < count; ++i) note_attribute(values[i], attributes[i], address_in(address));
    return code;
}

// True for the types of arguments that may be an address of the device.
template <typename Argument>
inline constexpr bool kMayBeAddress =
    std::is_same_v<Argument, DevicePtr> || (std::is_pointer_v<DevicePtr> && std::is_same_v<Argument, const void*>);

// Makes memory stay where it is if a call's arguments give its address to others, or to the device in a form that is
// not followed.
template <EntryPoint kEntry, typename... Arguments>
void keep_arguments_in_place(Arguments... arguments) {
    if (!memory_moves()) return;
    const auto note = [](auto argument) {
        if constexpr (kMayBeAddress<decltype(argument)>) keep_in_place(address_in(argument), Declared<kEntry>::kName);
    };
    (note(arguments), ...);
}

template <EntryPoint kEntry, typename Texture>
Result make_texture(Texture* texture, const void* resource, const void* description, const void* view) {
    if (memory_moves()) keep_textured_in_place(resource, Declared<kEntry>::kName);
    return driver<kEntry>()(texture, resource, description, view);
}

template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct KeepsInPlace;
template <EntryPoint kEntry, typename... Arguments>
struct KeepsInPlace<kEntry, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        keep_arguments_in_place<kEntry>(arguments...);
        return driver<kEntry>()(arguments...);
    }
};

// Says so once for each such function.
template <EntryPoint kEntry>
void note_that_it_stays(Result code) {
    static constinit std::atomic<bool> said{false};
    if (code != kSuccess || !memory_moves()) [[likely]]
        return;
    if (!said.exchange(true, std::memory_order_relaxed)) say_that_it_stays(Declared<kEntry>::kName);
}

}  // namespace xsched::stream::memory
