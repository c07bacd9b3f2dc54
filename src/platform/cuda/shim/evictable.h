// Memory that may be taken off the device and brought back while the program is kept from using it (XSCHED_EVICTABLE,
// docs/memory.md). Allocations of 2 MiB and more are made of pieces (memory_pieces.h); smaller ones stay the driver's
// own. The scheduler's orders come by queue/abi/memory_abi.h, on the errands' thread.
//
// And the other side: an allocation that the driver refuses asks the scheduler for memory of less urgent programs.
#pragma once

#include "platform/cuda/shim/opened_memory.h"
#include "platform/cuda/shim/platform.h"
#include "platform/stream/shim/device_use.h"

namespace xsched::cuda {

// How often one allocation asks the scheduler for room at most (safety).
inline constexpr int kMostTries = 4;

// Makes memory movable from the program's start on, if --evictable says so. Call before the program's first call.
void begin_evictable();
// Returns whether an allocation of this size is to be movable. The answer may change at any time (XHintEvictable).
bool may_move_new_memory(size_t bytes);
// Returns whether memory on the context's device can move: the first such memory says which device it is.
bool moves_on_device_of(CUcontext context);
// Allocate and free movable memory in place of the driver's calls, whose result is stored in `code`. Return false if
// the caller must make the driver's call instead.
bool allocate_evictable(CUdeviceptr* memory, size_t bytes, CUresult* code);
bool release_evictable(CUdeviceptr memory, CUresult* code);
// Gives back movable memory that neither the device nor the program uses any more.
void give_back_unused(CUdeviceptr memory);
// Answers cuMemGetAddressRange for movable memory and for memory of other processes. Returns false if the address is
// in neither.
bool range_of_evictable(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address);
// Frees the movable memory of a context. Call before the driver destroys the context, when its work is complete or no
// longer matters.
void forget_evictable(CUcontext context);

// Lets the current device use the movable memory of that context, as it may use any other memory there.
CUresult show_to_current_device(CUcontext context);
// Makes the allocation around this address stay where it is, because the call `function` makes it known to other
// devices or processes.
void keep_in_place(CUdeviceptr address, const char* function);
// Makes the memory that a texture reads stay where it is. `resource`: cuda.h's CUDA_RESOURCE_DESC.
void keep_textured_in_place(const void* resource, const char* function);
// Names the allocation around this address for other processes (shared_name.h) in place of the driver's call, and makes
// it stay where it is. Returns false if the address is in no movable memory, or that memory cannot be shared so.
bool name_evictable(CUipcMemHandle* name, CUdeviceptr address);
// Stops all moves after the driver has refused to name memory at this address for other processes: the driver names
// only memory that it allocated itself, so the program gets such memory from now on.
void stay_to_be_shared(CUdeviceptr address);
// Says that memory of another kind is never moved.
void say_that_it_stays(const char* function);
// Sets CU_POINTER_ATTRIBUTE_SYNC_MEMOPS for movable memory by asking for the same for the whole context, since the
// driver takes it only for memory of its own cuMemAlloc. Returns false if the address is in no movable memory, or the
// driver is too old.
bool wait_for_copies(const void* value, int attribute, CUdeviceptr address);
// Corrects the driver's answer about an address.
void note_attribute(void* value, int attribute, CUdeviceptr address);

// Asks other programs for memory after the driver has refused `bytes` bytes. Returns whether they have given memory
// back, so that the allocation should be tried again. `tries`: how often the allocation has been tried again before.
// May wait for seconds; holds no lock.
bool ask_for_memory(size_t bytes, int tries);

// Returns whether there may be memory that is made of several pieces, of which the driver knows each by itself.
inline bool has_ranges() { return stream::memory_moves() || some_opened(); }

// Calls the driver while the program's memory is on the device.
template <stream::EntryPoint kEntry, typename... Arguments>
CUresult ask_of_memory(Arguments... arguments) {
    stream::DeviceUse use;
    const CUresult code = stream::driver<kEntry>()(arguments...);
    use.leave();
    return code;
}

template <stream::EntryPoint kEntry>
CUresult ask_address_range(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
    if (has_ranges() && range_of_evictable(begin, bytes, address)) return CUDA_SUCCESS;
    return ask_of_memory<kEntry>(begin, bytes, address);
}

template <stream::EntryPoint kEntry>
CUresult enable_peer_access(CUcontext context, unsigned flags) {
    CUresult code = stream::driver<kEntry>()(context, flags);
    if (code != CUDA_SUCCESS || !stream::memory_moves()) return code;
    code = show_to_current_device(context);
    if (code != CUDA_SUCCESS) stream::driver<stream::kEntry_cuCtxDisablePeerAccess>()(context);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult ask_attribute(void* value, int attribute, CUdeviceptr address) {
    const CUresult code = ask_of_memory<kEntry>(value, attribute, address);
    if (code == CUDA_SUCCESS && has_ranges()) note_attribute(value, attribute, address);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult ask_attributes(unsigned count, int* attributes, void** values, CUdeviceptr address) {
    const CUresult code = ask_of_memory<kEntry>(count, attributes, values, address);
    if (code != CUDA_SUCCESS || !has_ranges()) return code;
    for (unsigned i = 0; i < count; ++i) note_attribute(values[i], attributes[i], address);
    return code;
}

// Makes memory stay where it is if a call's arguments give its address to others, or to the device in a form that is
// not followed.
template <stream::EntryPoint kEntry, typename... Arguments>
void keep_arguments_in_place(Arguments... arguments) {
    if (!stream::memory_moves()) return;
    const auto note = [](auto argument) {
        if constexpr (std::is_same_v<decltype(argument), CUdeviceptr>)
            keep_in_place(argument, stream::Declared<kEntry>::kName);
    };
    (note(arguments), ...);
}

template <stream::EntryPoint kEntry>
CUresult make_texture(CUdeviceptr* texture, const void* resource, const void* description, const void* view) {
    if (stream::memory_moves()) keep_textured_in_place(resource, stream::Declared<kEntry>::kName);
    return stream::driver<kEntry>()(texture, resource, description, view);
}

template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct KeepsInPlace;
template <stream::EntryPoint kEntry, typename... Arguments>
struct KeepsInPlace<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        keep_arguments_in_place<kEntry>(arguments...);
        return stream::driver<kEntry>()(arguments...);
    }
};

// Says so once for each such function.
template <stream::EntryPoint kEntry>
void note_that_it_stays(CUresult code) {
    static constinit std::atomic<bool> said{false};
    if (code != CUDA_SUCCESS || !stream::memory_moves()) [[likely]]
        return;
    if (!said.exchange(true, std::memory_order_relaxed)) say_that_it_stays(stream::Declared<kEntry>::kName);
}

}  // namespace xsched::cuda
