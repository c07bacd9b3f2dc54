// Copies of rows, in pieces of whole rows (stream/shim/copies.h).
#pragma once

#include "platform/stream/shim/copies.h"

namespace xsched::cuda {

// cuda.h's.
struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    unsigned srcMemoryType;
    const void* srcHost;
    CUdeviceptr srcDevice;
    void* srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    unsigned dstMemoryType;
    void* dstHost;
    CUdeviceptr dstDevice;
    void* dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
};

// Returns the rows of a copy. Width 0: it is not taken apart (arrays, and copies that the driver may refuse).
inline stream::CopyShape shape_of_rows(const CUDA_MEMCPY2D& it) {
    const auto linear = [](unsigned type) {
        return type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED;
    };
    if (!linear(it.srcMemoryType) || !linear(it.dstMemoryType) || it.Height < 2) return {};
    if (it.srcPitch < it.srcXInBytes + it.WidthInBytes || it.dstPitch < it.dstXInBytes + it.WidthInBytes) return {};
    const auto address = [](unsigned type, const void* host, CUdeviceptr device) {
        return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uintptr_t>(host) : static_cast<uintptr_t>(device);
    };
    stream::CopyShape copy;
    copy.to.address = address(it.dstMemoryType, it.dstHost, it.dstDevice) + it.dstY * it.dstPitch + it.dstXInBytes;
    copy.from.address = address(it.srcMemoryType, it.srcHost, it.srcDevice) + it.srcY * it.srcPitch + it.srcXInBytes;
    copy.width = it.WidthInBytes;
    copy.rows = it.Height;
    copy.to.pitch = it.dstPitch;
    copy.from.pitch = it.srcPitch;
    return copy;
}

template <stream::EntryPoint kEntry, auto kWhole, typename Function = typename stream::Declared<kEntry>::Type>
struct InRows;

template <stream::EntryPoint kEntry, auto kWhole, typename... Rest>
struct InRows<kEntry, kWhole, CUresult (*)(const void*, Rest...)> {
    static CUresult call(const void* it, Rest... rest) {
        const auto* copy = static_cast<const CUDA_MEMCPY2D*>(it);
        if (copy == nullptr || copy->WidthInBytes * copy->Height <= stream::least_split_bytes()) [[likely]]
            return kWhole(it, rest...);
        return split(*copy, rest...);
    }

private:
    [[gnu::noinline]] static CUresult split(const CUDA_MEMCPY2D& it, Rest... rest) {
        const stream::CopyShape shape = shape_of_rows(it);
        stream::Split pieces;
        if (shape.width == 0 || stream::driver<stream::kAtOnce<kEntry>>() == nullptr ||
            !pieces.begin(stream::stream_in(rest...), stream::Declared<kEntry>::kPerThread, shape))
            return kWhole(&it, rest...);
        CUDA_MEMCPY2D part = it;
        for (;;) {
            const size_t left = it.srcY + it.Height - part.srcY;
            const size_t rows = std::max<size_t>(pieces.next() / it.WidthInBytes, 1);
            const bool last = pieces.next() == 0 || rows >= left;
            part.Height = last ? left : rows;
            if (last && stream::kAtOnce<kEntry> != kEntry) return kWhole(&part, rest...);
            const XqPiece piece{pieces.kind(), part.Height * it.WidthInBytes};
            const CUresult code = stream::launch_piece<kEntry>(piece, static_cast<const void*>(&part), rest...);
            if (last || code != CUDA_SUCCESS) return code;
            part.srcY += rows;
            part.dstY += rows;
        }
    }
};

}  // namespace xsched::cuda
