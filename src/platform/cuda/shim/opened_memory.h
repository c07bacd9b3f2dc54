// Memory of other processes that this one has opened by a name of XSched's (shared_name.h; cuIpcOpenMemHandle). The
// pieces are mapped side by side. They last as long as a process has them mapped, also beyond the end of the process
// that has made them. Any thread. No lock is held while the driver is called.
#pragma once

#include <atomic>
#include <cstddef>

#include "platform/cuda/shim/platform.h"

namespace xsched::cuda {

extern std::atomic<bool> g_some_opened;
inline bool some_opened() { return g_some_opened.load(std::memory_order_relaxed); }

// Open and close such memory in place of the driver's calls, whose result is stored in `code`. Return false if the name
// or the memory is none of ours.
bool open_named(CUdeviceptr* memory, const CUipcMemHandle& name, CUresult* code);
bool close_named(CUdeviceptr memory, CUresult* code);
// Finds the whole of such memory around an address. Returns false if there is none.
bool find_opened(CUdeviceptr address, CUdeviceptr* begin, size_t* bytes);
// Closes the memory of a context. Call before the driver destroys the context.
void forget_opened(CUcontext context);
// Forgets all memory in a forked child, which has no device.
void forget_all_opened();

template <stream::EntryPoint kEntry>
CUresult open_shared_memory(CUdeviceptr* memory, CUipcMemHandle name, unsigned flags) {
    if (CUresult code = CUDA_SUCCESS; open_named(memory, name, &code)) return code;
    return stream::driver<kEntry>()(memory, name, flags);
}

template <stream::EntryPoint kEntry>
CUresult close_shared_memory(CUdeviceptr memory) {
    if (CUresult code = CUDA_SUCCESS; some_opened() && close_named(memory, &code)) return code;
    return stream::driver<kEntry>()(memory);
}

}  // namespace xsched::cuda
