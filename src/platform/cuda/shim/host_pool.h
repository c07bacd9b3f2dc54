// Pinned memory of the host in pieces, to which memory of the device goes. Preparing it takes longer than the copy (on
// an H100's host 40 to 300 ms per GiB), so it is done ahead. Any thread; a context is current. No lock is held while
// the driver is called.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xsched::cuda {

// A piece of kPieceBytes; nullptr: the pool is at its bound, or the host has none.
void* take_host_piece();
void return_host_piece(void* piece);
// Prepares one more, as long as fewer than `wanted` bytes are there in all. Returns false if there are enough.
bool prepare_host_piece(uint64_t wanted);
// The bound: a quarter of the host's memory that was available when it was first asked for.
uint64_t most_host_bytes();

}  // namespace xsched::cuda
