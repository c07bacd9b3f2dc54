// Pinned memory of the host, to which memory of the device goes. Preparing it takes longer than the copy (on an H100's
// host 40 to 300 ms per GiB), so it is done ahead, in slabs as large as the largest piece. A small piece takes a part
// of a slab. Any thread; a context is current. No lock is held while the driver is called.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xsched::stream::memory {

// Returns room for `bytes` bytes, kPieceBytes at most; nullptr: the pool is at its bound, or the host has none.
void* take_host_room(size_t bytes);
void return_host_room(void* room, size_t bytes);
// Prepares one more slab, as long as fewer than `wanted` bytes are there in all. Returns false if there are enough.
bool prepare_host_slab(uint64_t wanted);
// Returns the most bytes that the pool may have: what XSCHED_DEBUG's memory_pool says, or a quarter of the host's
// memory that was available at the first call.
uint64_t most_host_bytes();
// Gives slabs back of which nothing is in use. A context is current; may wait for the device's work.
void give_host_pool_back();
// Forgets the pool. Call in a forked child, which does not have its memory.
void forget_host_pool();

}  // namespace xsched::stream::memory
