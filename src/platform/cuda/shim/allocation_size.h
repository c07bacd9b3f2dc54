// How much device memory a call is about to allocate, and on which device, as far as its arguments tell. Pure; any
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "platform/cuda/shim/memory_pieces.h"
#include "platform/cuda/shim/platform.h"

namespace xsched::cuda {

struct AllocationSize {
    uint64_t bytes = 0;  // 0: the arguments do not tell
    CUdevice device = -1;  // -1: the current context's
};

// The driver makes rows longer, to units that it tells only with its answer. Bytes of the unit that is counted with
// (judgement): another one makes the count of such memory a little too large or too small.
inline constexpr size_t kPitchBytes = 512;

// The beginnings of structures of cuda.h.
struct ArrayShape {  // CUDA_ARRAY_DESCRIPTOR
    size_t width, height;
    int format;
    unsigned channels;
};
struct Array3DShape {  // CUDA_ARRAY3D_DESCRIPTOR
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

// Returns the bytes of a channel of CUarray_format. Compressed formats have less than a byte for each texel; they count
// as one.
constexpr uint64_t channel_bytes(int format) {
    switch (format) {
        case 0x02:  // UNSIGNED_INT16
        case 0x09:  // SIGNED_INT16
        case 0x10:  // HALF
            return 2;
        case 0x03:  // UNSIGNED_INT32
        case 0x0a:  // SIGNED_INT32
        case 0x20:  // FLOAT
            return 4;
        default: return 1;
    }
}

// Returns the bytes of an array with so many levels of a mipmap. Sparse arrays, and those that are mapped later, have
// no memory of their own.
constexpr uint64_t array_bytes(const Array3DShape& shape, unsigned levels) {
    constexpr unsigned kLayered = 0x01, kSparse = 0x40, kMappedLater = 0x80;  // CUDA_ARRAY3D_...
    if ((shape.flags & (kSparse | kMappedLater)) != 0) return 0;
    const auto at_level = [](size_t length, unsigned level) {
        return std::max<uint64_t>(level < 64 ? uint64_t{length} >> level : 0, 1);
    };
    uint64_t texels = 0;
    for (unsigned level = 0; level < std::min(levels, 64U); ++level)
        texels += at_level(shape.width, level) * at_level(shape.height, level) *
                  at_level(shape.depth, (shape.flags & kLayered) != 0 ? 0 : level);
    return texels * channel_bytes(shape.format) * shape.channels;
}

// Return what a call with these arguments allocates.
template <stream::EntryPoint>
AllocationSize size_of(CUdeviceptr*, size_t* /*pitch*/, size_t row, size_t rows, unsigned) {
    return {(row + kPitchBytes - 1) / kPitchBytes * kPitchBytes * rows};
}
template <stream::EntryPoint, typename... Rest>
AllocationSize size_of(CUdeviceptr*, size_t bytes, Rest...) {
    return {bytes};
}
template <stream::EntryPoint kEntry>
AllocationSize size_of(CUarray*, const void* wanted) {
    if (wanted == nullptr) return {};
    if constexpr (kEntry == stream::kEntry_cuArray3DCreate_v2)
        return {array_bytes(*static_cast<const Array3DShape*>(wanted), 1)};
    const auto& shape = *static_cast<const ArrayShape*>(wanted);
    return {array_bytes({shape.width, shape.height, 1, shape.format, shape.channels, 0}, 1)};
}
template <stream::EntryPoint>
AllocationSize size_of(CUmipmappedArray*, const void* wanted, unsigned levels) {
    return {wanted != nullptr ? array_bytes(*static_cast<const Array3DShape*>(wanted), levels) : 0};
}
// cuMemCreate: counts only memory that is on a device, not memory on the host.
template <stream::EntryPoint>
AllocationSize size_of(CUmemGenericAllocationHandle*, size_t bytes, const void* wanted, unsigned long long) {
    if (wanted == nullptr) return {};
    const CUmemLocation& location = static_cast<const CUmemAllocationProp*>(wanted)->location;
    if (location.type != kOnDevice) return {};
    return {bytes, location.id};
}

}  // namespace xsched::cuda
