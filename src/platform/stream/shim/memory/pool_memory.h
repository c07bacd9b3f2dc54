// Movable memory in stream order (cuMemAllocAsync from the device's default pool). The driver's pools cannot be moved,
// so allocations of 2 MiB and more are blocks of our own, behind addresses that stay (evictable.h). A block that the
// program has freed is kept, as a pool does: the next allocation in the same stream gets it at once, one in another
// stream only when the device has reached the free. The pool's next call gives kept blocks back that are beyond the
// release threshold and a moment old. Any thread. No lock is held while the driver is called.
#pragma once

#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

// A stream as the program names it; `per_thread`: the name nullptr means the thread's own stream.
struct NamedStream {
    Stream stream;
    bool per_thread;
};

// Allocate and free in place of the driver's calls, whose result is stored in `code`. Return false if the caller must
// make the driver's call instead. The stream is not captured. `pool`: nullptr: the device's current one.
bool allocate_block(Address* memory, size_t bytes, Pool pool, NamedStream to, Result* code);
bool release_block(Address memory, NamedStream to, Result* code);
// Returns whether this is the pool that the blocks stand for.
bool is_pool_of_blocks(Pool pool);
// Adds the blocks to the driver's answer about the pool that they stand for.
void add_blocks(int attribute, void* value);
// Notes an attribute that the program has set for the pool, such as its release threshold, or that a high-water mark is
// reset.
void note_pool_attribute(int attribute, const void* value);
// Gives kept blocks that nothing uses any more back, until no more than `keep` bytes are reserved.
void trim_blocks(size_t keep);
// Makes the pool's memory stay: the program has opened it to other devices.
void note_pool_access(const void* access, size_t count);

template <EntryPoint kEntry>
Result ask_pool(Pool pool, int attribute, void* value) {
    const Result code = driver<kEntry>()(pool, attribute, value);
    if (code == kSuccess && is_pool_of_blocks(pool)) add_blocks(attribute, value);
    return code;
}

template <EntryPoint kEntry>
Result set_pool(Pool pool, int attribute, void* value) {
    const Result code = driver<kEntry>()(pool, attribute, value);
    if (code == kSuccess && is_pool_of_blocks(pool)) note_pool_attribute(attribute, value);
    return code;
}

template <EntryPoint kEntry>
Result trim_pool(Pool pool, size_t keep) {
    if (is_pool_of_blocks(pool)) trim_blocks(keep);
    return driver<kEntry>()(pool, keep);
}

template <EntryPoint kEntry>
Result open_pool(Pool pool, const void* access, size_t count) {
    const Result code = driver<kEntry>()(pool, access, count);
    if (code == kSuccess && is_pool_of_blocks(pool)) note_pool_access(access, count);
    return code;
}

}  // namespace xsched::stream::memory
