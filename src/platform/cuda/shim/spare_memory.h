// Keeps device memory that the program has freed and may want again soon. The driver frees memory only while its
// context is idle. If a program that has victims allocates and frees in each of its requests, that costs it the device
// each time. No keep-alive may stand then (queue/alive/keep_alive.h), so the hardware switches to a victim and back
// (docs/decisions/013). So while this process has victims and keeps the device from them, freed memory stays allocated,
// up to XSCHED_DEBUG's spare_memory bytes. The next allocation of that size gets it.
//
// The program sees no difference. Memory is kept only when all of the program's work is complete, so no wait is lost,
// and its contents are undefined anyway. It counts as free. It is given back when memory runs out and with its context.
// It is also given back when the process has no more victims and frees or allocates, unless it would have to wait for
// its work then. Nothing is kept for a process that may have shared memory with others, since they would see later
// contents.
//
// Hooks are on the caller's thread; any thread. No lock is held while the driver is called.
#pragma once

#include <utility>

#include "platform/cuda/shim/allocation_size.h"
#include "platform/cuda/shim/evictable.h"
#include "platform/cuda/shim/memory_account.h"
#include "platform/cuda/shim/platform.h"
#include "platform/cuda/shim/pool_memory.h"
#include "platform/cuda/shim/program_memory.h"
#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/launch.h"
#include "platform/stream/shim/trace.h"

namespace xsched::cuda {

// Returns a spare of exactly that size in the current context. False: there is none, or none may be used now.
bool take_spare(CUdeviceptr* memory, size_t bytes);
// Keeps memory instead of freeing it. Returns false if it must be freed: only memory known by note_allocated is kept.
bool keep_spare(CUdeviceptr memory);
void note_allocated(CUdeviceptr memory, size_t bytes);
// Gives all spares back to the driver. Returns false if there were none.
bool give_spares_back();
// Gives spares back if there are no victims any more, unless that would have to wait.
void give_needless_spares_back();
uint64_t spare_bytes();
// Forgets the context's spares, before the driver destroys it with them.
void forget_spares(CUcontext context);
// Keeps no spares from now on.
void keep_no_spares();

// Calls the driver, once more after spares were given back, and again as long as less urgent programs make room.
template <stream::EntryPoint kEntry, typename... Arguments>
CUresult allocate_somehow(size_t bytes, Arguments... arguments) {
    CUresult code = stream::Traced<kEntry>::call(arguments...);
    if (code == CUDA_ERROR_OUT_OF_MEMORY && give_spares_back()) code = stream::Traced<kEntry>::call(arguments...);
    for (int i = 0; i < kMostTries && code == CUDA_ERROR_OUT_OF_MEMORY && ask_for_memory(bytes, i); ++i)
        code = stream::Traced<kEntry>::call(arguments...);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult allocate_counted(CUdeviceptr* memory, size_t bytes) {
    if (CUresult code = CUDA_SUCCESS; may_move_new_memory(bytes) && allocate_evictable(memory, bytes, &code))
        return code;
    {
        const stream::KeepErrno keep;
        give_needless_spares_back();
        if (take_spare(memory, bytes)) return CUDA_SUCCESS;
    }
    const CUresult code = allocate_somehow<kEntry>(bytes, memory, bytes);
    if (code == CUDA_SUCCESS) {
        const stream::KeepErrno keep;
        note_allocated(*memory, bytes);
    }
    return code;
}

template <stream::EntryPoint kEntry>
CUresult allocate(CUdeviceptr* memory, size_t bytes) {
    Room room(bytes);
    if (!room.enough()) return CUDA_ERROR_OUT_OF_MEMORY;
    const CUresult code = allocate_counted<kEntry>(memory, bytes);
    if (code == CUDA_SUCCESS) room.keep(*memory);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult release_counted(CUdeviceptr memory) {
    if (CUresult code = CUDA_SUCCESS; stream::memory_moves() && release_evictable(memory, &code)) return code;
    {
        const stream::KeepErrno keep;
        give_needless_spares_back();
        if (keep_spare(memory)) return CUDA_SUCCESS;
    }
    return stream::Traced<kEntry>::call(memory);
}

template <stream::EntryPoint kEntry>
CUresult release(CUdeviceptr memory) {
    Leaving leaving(memory);
    const CUresult code = release_counted<kEntry>(memory);
    if (code != CUDA_SUCCESS) leaving.stays();
    return code;
}

// Handles and addresses have one type.
template <stream::EntryPoint kEntry, typename Made>
MemoryName memory_name(Made made) {
    if constexpr (kEntry == stream::kEntry_cuMemCreate || kEntry == stream::kEntry_cuMemRelease)
        return MemoryName::of_handle(made);
    else
        return made;
}
template <typename First, typename... Rest>
First first_of(First first, Rest...) {
    return first;
}
template <typename Last>
Last last_of(Last last) {
    return last;
}
template <typename First, typename... Rest>
auto last_of(First, Rest... rest) {
    return last_of(rest...);
}

// Hooks of allocations of other kinds, whose memory is not kept.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct AllocatesElse;
template <stream::EntryPoint kEntry, typename... Arguments>
struct AllocatesElse<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        const AllocationSize size = size_of<kEntry>(arguments...);
        Room room(size.bytes, size.device);
        if (!room.enough()) return CUDA_ERROR_OUT_OF_MEMORY;
        const CUresult code = allocate_somehow<kEntry>(size.bytes, arguments...);
        if (code == CUDA_SUCCESS) room.keep(memory_name<kEntry>(*first_of(arguments...)));
        note_that_it_stays<kEntry>(code);
        return code;
    }
};

// Hooks of the calls that free such memory.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct ReleasesElse;
template <stream::EntryPoint kEntry, typename Memory>
struct ReleasesElse<kEntry, CUresult (*)(Memory)> {
    static CUresult call(Memory memory) {
        Leaving leaving(memory_name<kEntry>(memory));
        const CUresult code = stream::Traced<kEntry>::call(memory);
        if (code != CUDA_SUCCESS) leaving.stays();
        return code;
    }
};

// Hooks of allocations in stream order.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct AllocatesInOrder;
template <stream::EntryPoint kEntry, typename... Arguments>
struct AllocatesInOrder<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        const size_t bytes = size_of<kEntry>(arguments...).bytes;
        // Memory of a captured call is allocated where the graph runs, if at all.
        const bool captured = stream::capturing(last_of(arguments...), stream::Declared<kEntry>::kPerThread);
        Room room(captured ? 0 : bytes);
        if (!room.enough()) return CUDA_ERROR_OUT_OF_MEMORY;
        CUresult code = CUDA_SUCCESS;
        if (captured || !allocate_ours(code, arguments...)) code = allocate_drivers(bytes, arguments...);
        if (code == CUDA_SUCCESS) room.keep(*first_of(arguments...));
        return code;
    }

private:
    static bool allocate_ours(CUresult& code, CUdeviceptr* memory, size_t bytes, CUstream to) {
        return allocate_block(memory, bytes, nullptr, {to, stream::Declared<kEntry>::kPerThread}, &code);
    }
    static bool allocate_ours(CUresult& code, CUdeviceptr* memory, size_t bytes, CUmemoryPool pool, CUstream to) {
        return pool != nullptr &&
               allocate_block(memory, bytes, pool, {to, stream::Declared<kEntry>::kPerThread}, &code);
    }
    static CUresult allocate_drivers(size_t bytes, Arguments... arguments) {
        CUresult code = stream::Scheduled<kEntry>::call(arguments...);
        for (int i = 0; i < kMostTries && code == CUDA_ERROR_OUT_OF_MEMORY && ask_for_memory(bytes, i); ++i)
            code = stream::Scheduled<kEntry>::call(arguments...);
        if (bytes >= kGranularity) note_that_it_stays<kEntry>(code);
        return code;
    }
};

// Hooks cuMemFreeAsync, which natively also frees memory of cuMemAlloc.
template <stream::EntryPoint kEntry>
CUresult release_in_order(CUdeviceptr memory, CUstream stream) {
    Leaving leaving(memory);
    CUresult code = CUDA_SUCCESS;
    constexpr bool kPerThread = stream::Declared<kEntry>::kPerThread;
    const bool ours = stream::memory_moves() && !stream::capturing(stream, kPerThread) &&
                      (release_block(memory, {stream, kPerThread}, &code) || release_evictable(memory, &code));
    if (!ours) code = stream::Scheduled<kEntry>::call(memory, stream);
    if (code != CUDA_SUCCESS) leaving.stays();
    return code;
}

template <stream::EntryPoint kEntry>
CUresult ask_free_memory(size_t* free, size_t* total) {
    const CUresult code = stream::driver<kEntry>()(free, total);
    if (code == CUDA_SUCCESS && free != nullptr) *free += spare_bytes();
    if (code == CUDA_SUCCESS) show_what_it_may_have(free, total);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult ask_total_memory(size_t* total, CUdevice device) {
    const CUresult code = stream::driver<kEntry>()(total, device);
    if (code == CUDA_SUCCESS && total != nullptr) show_whole_of_what_it_may_have(total);
    return code;
}

// Hooks of calls by which other processes may get to know this process's memory.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct ShowsMemory;
template <stream::EntryPoint kEntry, typename... Arguments>
struct ShowsMemory<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        {
            const stream::KeepErrno keep;
            keep_no_spares();
        }
        keep_arguments_in_place<kEntry>(arguments...);
        return stream::driver<kEntry>()(arguments...);
    }
};

template <stream::EntryPoint kEntry>
CUresult share_memory(CUipcMemHandle* name, CUdeviceptr address) {
    if (stream::memory_moves() && name_evictable(name, address)) return CUDA_SUCCESS;
    const CUresult code = ShowsMemory<kEntry>::call(name, address);
    if (code != CUDA_SUCCESS && stream::memory_moves()) stay_to_be_shared(address);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult set_attribute(const void* value, int attribute, CUdeviceptr address) {
    const CUresult code = ShowsMemory<kEntry>::call(value, attribute, address);
    return code == CUDA_ERROR_NOT_SUPPORTED && stream::memory_moves() && wait_for_copies(value, attribute, address)
               ? CUDA_SUCCESS
               : code;
}

}  // namespace xsched::cuda
