// The compute units that a queue may use, as KFD takes them (SET_CU_MASK): the first n are spread evenly over the GPU.
// Pure.
#pragma once

#include <cstdint>

#include "platform/hip/hal/kfd_api.h"

namespace xsched::hip::kfd {

struct CuMask {
    uint32_t bits = 0;  // 0: none was ever set, and the queue uses all
    uint32_t words[kMostMaskBits / 32] = {};
};

// Returns the mask that KFD was given, without bits that it ignores.
CuMask mask_of(const uint32_t* words, uint32_t bits);
// Returns the mask that puts back `own`: itself, or all units.
CuMask whole(const CuMask& own);
// Returns a mask of the first `count` units of `own`.
CuMask first_units(const CuMask& own, uint32_t count);

// A GPU's properties as KFD tells them; 0: not known.
struct GpuShape {
    uint32_t units = 0;
    uint32_t arrays = 0;  // of units
    uint32_t dies = 0;
};
// Reads the shape from the text of a node's `properties`.
GpuShape shape_in(const char* properties);
// Returns how many units a victim keeps: an eighth of the GPU's, but at least one in each array and on each die,
// rounded to pairs.
uint32_t few_units(const GpuShape& shape);

}  // namespace xsched::hip::kfd
