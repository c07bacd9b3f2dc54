// XQueueHandle's bits: 32 process | 21 generation | 11 index + 1. Unique among the processes of one machine, so that
// xcli can name a queue by it; 0 is no queue.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "ipc/layout.h"
#include "xsched/types.h"

namespace xsched::queue {

inline constexpr unsigned kHandleIndexBits = std::bit_width(ipc::kMostQueues);
inline constexpr unsigned kHandleGenerationBits = std::numeric_limits<uint32_t>::digits - kHandleIndexBits;

constexpr uint32_t low_bits(uint32_t of, unsigned bits) { return of & ((1u << bits) - 1); }

inline XQueueHandle pack_handle(uint32_t pid, uint32_t generation, uint32_t index) {
    return XQueueHandle{pid} << (kHandleGenerationBits + kHandleIndexBits) |
           XQueueHandle{low_bits(generation, kHandleGenerationBits)} << kHandleIndexBits | (index + 1);
}

// Returns the index in a handle that is not 0.
inline uint32_t handle_index(XQueueHandle handle) {
    return low_bits(static_cast<uint32_t>(handle), kHandleIndexBits) - 1;
}

}  // namespace xsched::queue
