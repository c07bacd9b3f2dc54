// Movable memory in stream order (cuMemAllocAsync from the device's default pool). The driver's pools cannot be moved,
// so allocations of 2 MiB and more are blocks of our own, behind addresses that stay (evictable.h). A block that the
// program has freed is kept, as a pool does: the next allocation in the same stream gets it at once, one in another
// stream only when the device has reached the free. The pool's next call gives kept blocks back that are beyond the
// release threshold and a moment old. Any thread. No lock is held while the driver is called.
#pragma once

#include "platform/cuda/shim/platform.h"

namespace xsched::cuda {

// A stream as the program names it; `per_thread`: the name nullptr means the thread's own stream.
struct NamedStream {
    CUstream stream;
    bool per_thread;
};

// Allocate and free in place of the driver's calls, whose result is stored in `code`. Return false if the caller must
// make the driver's call instead. The stream is not captured. `pool`: nullptr: the device's current one.
bool allocate_block(CUdeviceptr* memory, size_t bytes, CUmemoryPool pool, NamedStream to, CUresult* code);
bool release_block(CUdeviceptr memory, NamedStream to, CUresult* code);
// Returns whether this is the pool that the blocks stand for.
bool is_pool_of_blocks(CUmemoryPool pool);
// Adds the blocks to the driver's answer about such a pool.
void add_blocks(int attribute, void* value);
// Takes an attribute that the program has set.
void note_pool_attribute(int attribute, const void* value);
// Gives kept blocks that nothing uses any more back, until no more than `keep` bytes are reserved.
void trim_blocks(size_t keep);
// Makes the pool's memory stay: the program has opened it to other devices.
void note_pool_access(const void* access, size_t count);

template <stream::EntryPoint kEntry>
CUresult ask_pool(CUmemoryPool pool, int attribute, void* value) {
    const CUresult code = stream::driver<kEntry>()(pool, attribute, value);
    if (code == CUDA_SUCCESS && is_pool_of_blocks(pool)) add_blocks(attribute, value);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult set_pool(CUmemoryPool pool, int attribute, void* value) {
    const CUresult code = stream::driver<kEntry>()(pool, attribute, value);
    if (code == CUDA_SUCCESS && is_pool_of_blocks(pool)) note_pool_attribute(attribute, value);
    return code;
}

template <stream::EntryPoint kEntry>
CUresult trim_pool(CUmemoryPool pool, size_t keep) {
    if (is_pool_of_blocks(pool)) trim_blocks(keep);
    return stream::driver<kEntry>()(pool, keep);
}

template <stream::EntryPoint kEntry>
CUresult open_pool(CUmemoryPool pool, const void* access, size_t count) {
    const CUresult code = stream::driver<kEntry>()(pool, access, count);
    if (code == CUDA_SUCCESS && is_pool_of_blocks(pool)) note_pool_access(access, count);
    return code;
}

}  // namespace xsched::cuda
