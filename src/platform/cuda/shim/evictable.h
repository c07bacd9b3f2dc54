// Memory that may be taken off the device and brought back while the program is kept from using it (XSCHED_EVICTABLE,
// docs/memory.md). Allocations of 2 MiB and more are made of pieces (memory_pieces.h); smaller ones stay the driver's
// own. The scheduler's orders come by queue/abi/memory_abi.h, on the errands' thread.
//
// And the other side: an allocation that the driver refuses asks the scheduler for memory of less urgent programs.
#pragma once

#include "platform/cuda/shim/platform.h"
#include "platform/stream/shim/device_use.h"

namespace xsched::cuda {

// How often one allocation asks (safety).
inline constexpr int kMostTries = 4;

// Reads whether the program wants it from the start, before its first call.
void begin_evictable();
// Returns whether an allocation of this size is to be movable. The answer may change at any time (XHintEvictable).
bool may_move_new_memory(size_t bytes);
// In the place of the driver's call. False: that is to be made.
bool allocate_evictable(CUdeviceptr* memory, size_t bytes, CUresult* code);
bool release_evictable(CUdeviceptr memory, CUresult* code);
// Answers cuMemGetAddressRange for such memory. False: it is none.
bool range_of_evictable(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address);
// Before the driver destroys the context. Its work is complete, or no longer of interest.
void forget_evictable(CUcontext context);

// The current device may use what was allocated in that context, as it may use any other memory there.
void show_to_current_device(CUcontext context);

// The driver has refused `bytes` bytes. Returns whether the allocation should be tried again: other programs have given
// memory back. May wait for seconds; holds no lock.
bool ask_for_memory(size_t bytes);

template <stream::EntryPoint kEntry>
CUresult ask_address_range(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
    if (stream::memory_moves() && range_of_evictable(begin, bytes, address)) return CUDA_SUCCESS;
    return stream::driver<kEntry>()(begin, bytes, address);
}

template <stream::EntryPoint kEntry>
CUresult enable_peer_access(CUcontext context, unsigned flags) {
    const CUresult code = stream::driver<kEntry>()(context, flags);
    if (code == CUDA_SUCCESS && stream::memory_moves()) show_to_current_device(context);
    return code;
}

}  // namespace xsched::cuda
