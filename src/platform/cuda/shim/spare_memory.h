// Memory of the device that the program has freed and may want again in a moment. The driver frees only while its
// context is idle. To a program that allocates and frees in each of its requests, beside victims, that costs the device
// each time: no keep-alive may stand then (queue/alive/keep_alive.h), so that the hardware turns to a victim, and back
// (docs/decisions/013). So while this process has victims and keeps the device from them, what is freed stays
// allocated, up to XSCHED_DEBUG's spare_memory bytes. The next allocation of that size gets it.
//
// It is as natively for the program: that waits for nothing more and nothing less, since all of its work is complete
// when memory is kept; and its contents are nobody's. It counts as free. Given back when memory runs out, with its
// context, and when the process has no victims any more and frees or allocates, unless it would wait for its work then.
// Nothing is kept of a process that may have shown memory to others, who would see what comes later.
//
// Hooks are on the caller's thread; any thread. No lock is held while the driver is called.
#pragma once

#include <utility>

#include "platform/cuda/shim/platform.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/trace.h"

namespace xsched::cuda {

// The current context's, of exactly that size. False: there is none, or none may be used now.
bool take_spare(CUdeviceptr* memory, size_t bytes);
// In the place of freeing it. False: it must be freed. Only what note_allocated was told.
bool keep_spare(CUdeviceptr memory);
void note_allocated(CUdeviceptr memory, size_t bytes);
// All of it, to the driver. False: there was none.
bool give_spares_back();
// Likewise where there are no victims any more, and nothing to wait for.
void give_needless_spares_back();
uint64_t spare_bytes();
// Before the driver destroys the context, and them with it.
void forget_spares(CUcontext context);
// From here on no more.
void keep_no_spares();

template <stream::EntryPoint kEntry>
CUresult allocate(CUdeviceptr* memory, size_t bytes) {
    {
        const stream::KeepErrno keep;
        give_needless_spares_back();
        if (take_spare(memory, bytes)) return CUDA_SUCCESS;
    }
    CUresult code = stream::Traced<kEntry>::call(memory, bytes);
    if (code == CUDA_ERROR_OUT_OF_MEMORY && give_spares_back()) code = stream::Traced<kEntry>::call(memory, bytes);
    if (code == CUDA_SUCCESS) {
        const stream::KeepErrno keep;
        note_allocated(*memory, bytes);
    }
    return code;
}

template <stream::EntryPoint kEntry>
CUresult release(CUdeviceptr memory) {
    {
        const stream::KeepErrno keep;
        give_needless_spares_back();
        if (keep_spare(memory)) return CUDA_SUCCESS;
    }
    return stream::Traced<kEntry>::call(memory);
}

// Of other kinds than those that are kept.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct AllocatesElse;
template <stream::EntryPoint kEntry, typename... Arguments>
struct AllocatesElse<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        const CUresult code = stream::Traced<kEntry>::call(arguments...);
        if (code != CUDA_ERROR_OUT_OF_MEMORY || !give_spares_back()) return code;
        return stream::Traced<kEntry>::call(arguments...);
    }
};

template <stream::EntryPoint kEntry>
CUresult ask_free_memory(size_t* free, size_t* total) {
    const CUresult code = stream::driver<kEntry>()(free, total);
    if (code == CUDA_SUCCESS && free != nullptr) *free += spare_bytes();
    return code;
}

// Others may know memory of this process from here on.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct ShowsMemory;
template <stream::EntryPoint kEntry, typename... Arguments>
struct ShowsMemory<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        {
            const stream::KeepErrno keep;
            keep_no_spares();
        }
        return stream::driver<kEntry>()(arguments...);
    }
};

}  // namespace xsched::cuda
