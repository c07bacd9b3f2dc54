// How much device memory a call is about to allocate, and on which device, as far as its arguments tell. Pure; any
// thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "platform/stream/shim/memory/memory_pieces.h"
#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

struct AllocationSize {
    uint64_t bytes = 0;  // 0: the arguments do not tell
    Device device = -1;  // -1: the current context's
};

// The driver pads each row of such memory to a pitch that it tells only with its answer. The count assumes this pitch
// (judgement); if the driver's is another one, the count is a little too large or too small.
inline constexpr size_t kPitchBytes = 512;
constexpr uint64_t bytes_of_rows(size_t row, size_t rows) {
    return (row + kPitchBytes - 1) / kPitchBytes * kPitchBytes * rows;
}

// The first members of the vendors' structures that describe arrays, which CUDA and HIP lay out alike.
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
struct ChannelBits {  // hipChannelFormatDesc
    int x, y, z, w;
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

constexpr unsigned kLayered = 0x01, kSparse = 0x40, kMappedLater = 0x80;  // CUDA_ARRAY3D_...

// Returns the texels of an array with so many levels of a mipmap.
constexpr uint64_t texels_of(const Array3DShape& shape, unsigned levels) {
    const auto at_level = [](size_t length, unsigned level) {
        return std::max<uint64_t>(level < 64 ? uint64_t{length} >> level : 0, 1);
    };
    uint64_t texels = 0;
    for (unsigned level = 0; level < std::min(levels, 64U); ++level)
        texels += at_level(shape.width, level) * at_level(shape.height, level) *
                  at_level(shape.depth, (shape.flags & kLayered) != 0 ? 0 : level);
    return texels;
}

// Returns the bytes of an array with so many levels of a mipmap. Sparse arrays, and those that are mapped later, have
// no memory of their own.
constexpr uint64_t array_bytes(const Array3DShape& shape, unsigned levels) {
    if ((shape.flags & (kSparse | kMappedLater)) != 0) return 0;
    return texels_of(shape, levels) * channel_bytes(shape.format) * shape.channels;
}

// Returns the bytes of an array that a function of the runtime describes by the bits of a channel and an extent.
template <typename Extent>
uint64_t array_bytes(const void* channel, const Extent& extent, unsigned levels, unsigned flags) {
    const auto& bits = *static_cast<const ChannelBits*>(channel);
    const uint64_t texels = texels_of({extent.width, extent.height, extent.depth, 0, 0, flags}, levels);
    return texels * static_cast<uint64_t>(bits.x + bits.y + bits.z + bits.w) / 8;
}

// Return what a call with these arguments allocates.
template <EntryPoint>
AllocationSize size_of(DevicePtr*, size_t* /*pitch*/, size_t row, size_t rows) {
    return {bytes_of_rows(row, rows)};
}
template <EntryPoint>
AllocationSize size_of(DevicePtr*, size_t* /*pitch*/, size_t row, size_t rows, unsigned) {
    return {bytes_of_rows(row, rows)};
}
template <EntryPoint, typename... Rest>
AllocationSize size_of(DevicePtr*, size_t bytes, Rest...) {
    return {bytes};
}
template <EntryPoint, typename Pitched, typename Extent>
    requires requires(Extent extent) { extent.depth; }
AllocationSize size_of(Pitched*, Extent extent) {
    return {bytes_of_rows(extent.width, extent.height * extent.depth)};
}
template <EntryPoint kEntry>
AllocationSize size_of(Array*, const void* wanted) {
    if (wanted == nullptr) return {};
    if constexpr (kEntry == kArray3DCreate) return {array_bytes(*static_cast<const Array3DShape*>(wanted), 1)};
    const auto& shape = *static_cast<const ArrayShape*>(wanted);
    return {array_bytes({shape.width, shape.height, 1, shape.format, shape.channels, 0}, 1)};
}
template <EntryPoint>
AllocationSize size_of(Mipmap*, const void* wanted, unsigned levels) {
    return {wanted != nullptr ? array_bytes(*static_cast<const Array3DShape*>(wanted), levels) : 0};
}
template <EntryPoint>
AllocationSize size_of(Array*, const void* channel, size_t width, size_t height, unsigned flags) {
    struct Extent {
        size_t width, height, depth;
    };
    return {channel != nullptr ? array_bytes(channel, Extent{width, height, 1}, 1, flags) : 0};
}
template <EntryPoint, typename Extent>
AllocationSize size_of(Array*, const void* channel, Extent extent, unsigned flags) {
    return {channel != nullptr ? array_bytes(channel, extent, 1, flags) : 0};
}
template <EntryPoint, typename Extent>
AllocationSize size_of(Mipmap*, const void* channel, Extent extent, unsigned levels, unsigned flags) {
    return {channel != nullptr ? array_bytes(channel, extent, levels, flags) : 0};
}
// MemCreate: counts only memory that is on a device, not memory on the host.
template <EntryPoint>
AllocationSize size_of(PhysicalHandle*, size_t bytes, const void* wanted, unsigned long long) {
    if (wanted == nullptr) return {};
    const MemoryLocation& location = static_cast<const MemoryProperties*>(wanted)->location;
    if (location.type != kOnDevice) return {};
    return {bytes, location.id};
}

}  // namespace xsched::stream::memory
