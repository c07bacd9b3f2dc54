// XQueueHandle's bits: 32 process | 20 generation | 12 index + 1. Unique among the processes of one machine, so that
// xcli can name a queue by it; 0 is no queue.
#pragma once

#include <cstdint>

#include "xsched/types.h"

namespace xsched::queue {

inline constexpr unsigned kHandleIndexBits = 12;
inline constexpr unsigned kHandleGenerationBits = 20;
inline constexpr uint32_t kHandleIndexMask = (1u << kHandleIndexBits) - 1;
inline constexpr uint32_t kHandleGenerationMask = (1u << kHandleGenerationBits) - 1;

inline XQueueHandle pack_handle(uint32_t pid, uint32_t generation, uint32_t index) {
    return XQueueHandle{pid} << (kHandleGenerationBits + kHandleIndexBits) |
           XQueueHandle{generation & kHandleGenerationMask} << kHandleIndexBits | (index + 1);
}

// Of a handle that is not 0.
inline uint32_t handle_index(XQueueHandle handle) { return static_cast<uint32_t>(handle & kHandleIndexMask) - 1; }

}  // namespace xsched::queue
