// Copies and sets, synchronous and not, with CUDA's rules for when the call returns:
//   asynchronous  to device memory from pageable memory: the bytes are taken before it returns; from device memory to
//                 pageable memory, and between two places of the host: complete when it returns; else at once
//   synchronous   to device memory from pageable memory: after the stream's earlier work, when the bytes are taken;
//                 within device memory, and sets: at once; else complete
#include <cstring>
#include <mutex>

#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"
#include "fake/cuda/memory.h"

using namespace fake;

namespace {

struct Copy {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;
    size_t width = 0;
    size_t height = 1;
    size_t to_pitch = 0;
    size_t from_pitch = 0;

    void run() const {
        for (size_t row = 0; row < height; ++row) std::memmove(to + row * to_pitch, from + row * from_pitch, width);
    }
};

bool on_host(Memory kind) {
    return kind == Memory::kPageable || kind == Memory::kPinned || kind == Memory::kRegistered;
}

Command command_for(const Copy& copy, bool take_now) {
    Command command;
    if (!take_now) {
        command.action = [copy] { copy.run(); };
        return command;
    }
    std::vector<std::byte> bytes(copy.width * copy.height);
    Copy staged = copy;
    staged.to = bytes.data();
    staged.to_pitch = copy.width;
    staged.run();
    command.action = [copy, bytes = std::move(bytes)] {
        Copy rest = copy;
        rest.from = bytes.data();
        rest.from_pitch = copy.width;
        rest.run();
    };
    return command;
}

// Returns the context's lock, held, if the settings ask for that: in real drivers a thread that waits for a copy may
// keep it meanwhile.
std::unique_lock<std::mutex> lock_while_waiting(const Stream& stream) {
    return g_settings.copy_lock ? std::unique_lock(stream.context->mutex) : std::unique_lock<std::mutex>();
}

CUresult perform(const Copy& copy, CUstream handle, bool synchronous) {
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    if (noop()) return CUDA_SUCCESS;
    const Memory from = kind_of(copy.from), to = kind_of(copy.to);
    const bool captured = is_capturing(*stream);
    const bool staged = from == Memory::kPageable && !on_host(to) && !captured;
    if (staged && synchronous) {
        FAKE_TRY(capture_forbids_synchronizing(*stream));
        const Place end = end_of(*stream);
        const auto lock = lock_while_waiting(*stream);
        wait_for_all({end});
    }
    Place place;
    FAKE_TRY(submit(*stream, command_for(copy, staged), InCapture::kNode, &place));
    const bool within_host = on_host(from) && on_host(to);
    const bool within_device = !on_host(from) && !on_host(to);
    const bool wait = synchronous ? !staged && !within_device : to == Memory::kPageable || within_host;
    if (!wait) return CUDA_SUCCESS;
    const auto lock = lock_while_waiting(*stream);
    wait_for(place);
    return CUDA_SUCCESS;
}

// Returns whether the copy's bytes lie within one allocation, if the driver knows the memory; pageable memory is not
// checked.
bool fits(CUdeviceptr address, size_t bytes) {
    const Extent extent = extent_at(host_of(address));
    const auto begin = reinterpret_cast<uintptr_t>(host_of(address));
    return extent.bytes == 0 || (bytes <= extent.bytes && begin - extent.start <= extent.bytes - bytes);
}

CUresult linear(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream, bool synchronous) {
    if (to == 0 || from == 0 || !fits(to, bytes) || !fits(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return perform({host_of(to), host_of(from), bytes, 1, bytes, bytes}, stream, synchronous);
}
CUdeviceptr address_of(const void* host) { return reinterpret_cast<CUdeviceptr>(host); }

CUresult two_dimensional(const CUDA_MEMCPY2D* it, CUstream stream, bool synchronous) {
    if (it == nullptr || it->srcMemoryType == CU_MEMORYTYPE_ARRAY || it->dstMemoryType == CU_MEMORYTYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    const bool from_host = it->srcMemoryType == CU_MEMORYTYPE_HOST, to_host = it->dstMemoryType == CU_MEMORYTYPE_HOST;
    Copy copy;
    copy.from = from_host ? host_of(it->srcHost) : host_of(it->srcDevice);
    copy.to = to_host ? host_of(it->dstHost) : host_of(it->dstDevice);
    copy.width = it->WidthInBytes;
    copy.height = it->Height;
    copy.from_pitch = it->srcPitch != 0 ? it->srcPitch : it->WidthInBytes;
    copy.to_pitch = it->dstPitch != 0 ? it->dstPitch : it->WidthInBytes;
    copy.from += it->srcY * copy.from_pitch + it->srcXInBytes;
    copy.to += it->dstY * copy.to_pitch + it->dstXInBytes;
    return perform(copy, stream, synchronous);
}

template <typename Value>
CUresult set(CUdeviceptr to, size_t pitch, Value value, size_t width, size_t height, CUstream handle,
             bool synchronous) {
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kOwnContext, &stream));
    if (noop()) return CUDA_SUCCESS;
    Command command;
    command.action = [=] {
        for (size_t row = 0; row < height; ++row)
            for (size_t i = 0; i < width; ++i)
                std::memcpy(host_of(to) + row * pitch + i * sizeof value, &value, sizeof value);
    };
    Place place;
    FAKE_TRY(submit(*stream, std::move(command), InCapture::kNode, &place));
    if (synchronous && kind_of(host_of(to)) == Memory::kPinned) wait_for(place);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    FAKE_ENTRY();
    return linear(to, from, bytes, nullptr, true);
}
FAKE_PER_THREAD(cuMemcpy, _ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
    FAKE_ENTRY();
    return linear(to, from, bytes, nullptr, true);
}
FAKE_PER_THREAD(cuMemcpyPeer, _ptds, (CUdeviceptr to, CUcontext tc, CUdeviceptr from, CUcontext fc, size_t bytes),
                (to, tc, from, fc, bytes))
CUresult CUDAAPI cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
    FAKE_ENTRY();
    return linear(to, address_of(from), bytes, nullptr, true);
}
FAKE_PER_THREAD(cuMemcpyHtoD_v2, _ptds, (CUdeviceptr to, const void* from, size_t bytes), (to, from, bytes))
CUresult CUDAAPI cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
    FAKE_ENTRY();
    return linear(address_of(to), from, bytes, nullptr, true);
}
FAKE_PER_THREAD(cuMemcpyDtoH_v2, _ptds, (void* to, CUdeviceptr from, size_t bytes), (to, from, bytes))
CUresult CUDAAPI cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    FAKE_ENTRY();
    return linear(to, from, bytes, nullptr, true);
}
FAKE_PER_THREAD(cuMemcpyDtoD_v2, _ptds, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
CUresult CUDAAPI cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
    FAKE_ENTRY();
    return two_dimensional(copy, nullptr, true);
}
FAKE_PER_THREAD(cuMemcpy2D_v2, _ptds, (const CUDA_MEMCPY2D* copy), (copy))
CUresult CUDAAPI cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) {
    FAKE_ENTRY();
    return two_dimensional(copy, nullptr, true);
}
FAKE_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds, (const CUDA_MEMCPY2D* copy), (copy))

CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    FAKE_ENTRY();
    return linear(to, from, bytes, stream, false);
}
FAKE_PER_THREAD(cuMemcpyAsync, _ptsz, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s))
CUresult CUDAAPI cuMemcpyWithAttributesAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUmemcpyAttributes*,
                                             CUstream stream) {
    FAKE_ENTRY();
    return linear(to, from, bytes, stream, false);
}
FAKE_PER_THREAD(cuMemcpyWithAttributesAsync, _ptsz,
                (CUdeviceptr to, CUdeviceptr from, size_t n, CUmemcpyAttributes* a, CUstream s), (to, from, n, a, s))
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes,
                                   CUstream stream) {
    FAKE_ENTRY();
    return linear(to, from, bytes, stream, false);
}
FAKE_PER_THREAD(cuMemcpyPeerAsync, _ptsz,
                (CUdeviceptr to, CUcontext tc, CUdeviceptr from, CUcontext fc, size_t n, CUstream s),
                (to, tc, from, fc, n, s))
CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    FAKE_ENTRY();
    return linear(to, address_of(from), bytes, stream, false);
}
FAKE_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz, (CUdeviceptr to, const void* from, size_t n, CUstream s), (to, from, n, s))
CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    FAKE_ENTRY();
    return linear(address_of(to), from, bytes, stream, false);
}
FAKE_PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz, (void* to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s))
CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    FAKE_ENTRY();
    return linear(to, from, bytes, stream, false);
}
FAKE_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz, (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s))
CUresult CUDAAPI cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
    FAKE_ENTRY();
    return two_dimensional(copy, stream, false);
}
FAKE_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz, (const CUDA_MEMCPY2D* copy, CUstream stream), (copy, stream))

// Copies the entries of a batch one after the other, as a driver may. If it refuses one entry, it copies nothing.
CUresult CUDAAPI cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                                       CUmemcpyAttributes* attributes, size_t* attributes_from, size_t attribute_count,
                                       CUstream stream) {
    FAKE_ENTRY();
    if (stream == nullptr || stream == CU_STREAM_LEGACY || count == 0 || attribute_count == 0 ||
        attributes == nullptr || attributes_from == nullptr || attributes_from[0] != 0 || attribute_count > count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i)
        if (!fits(to[i], bytes[i]) || !fits(from[i], bytes[i])) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) FAKE_TRY(linear(to[i], from[i], bytes[i], stream, false));
    return CUDA_SUCCESS;
}

#define FAKE_SETS(bits, Value)                                                                                        \
    CUresult CUDAAPI cuMemsetD##bits##_v2(CUdeviceptr to, Value value, size_t count) {                                \
        FAKE_ENTRY();                                                                                                 \
        return set<Value>(to, 0, value, count, 1, nullptr, true);                                                     \
    }                                                                                                                 \
    FAKE_PER_THREAD(cuMemsetD##bits##_v2, _ptds, (CUdeviceptr to, Value value, size_t count), (to, value, count))     \
    CUresult CUDAAPI cuMemsetD##bits##Async(CUdeviceptr to, Value value, size_t count, CUstream stream) {             \
        FAKE_ENTRY();                                                                                                 \
        return set<Value>(to, 0, value, count, 1, stream, false);                                                     \
    }                                                                                                                 \
    FAKE_PER_THREAD(cuMemsetD##bits##Async, _ptsz, (CUdeviceptr to, Value value, size_t count, CUstream stream),      \
                    (to, value, count, stream))                                                                       \
    CUresult CUDAAPI cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, Value value, size_t width, size_t height) { \
        FAKE_ENTRY();                                                                                                 \
        return set<Value>(to, pitch, value, width, height, nullptr, true);                                            \
    }                                                                                                                 \
    FAKE_PER_THREAD(cuMemsetD2D##bits##_v2, _ptds,                                                                    \
                    (CUdeviceptr to, size_t pitch, Value value, size_t width, size_t height),                         \
                    (to, pitch, value, width, height))                                                                \
    CUresult CUDAAPI cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, Value value, size_t width, size_t height, \
                                              CUstream stream) {                                                      \
        FAKE_ENTRY();                                                                                                 \
        return set<Value>(to, pitch, value, width, height, stream, false);                                            \
    }                                                                                                                 \
    FAKE_PER_THREAD(cuMemsetD2D##bits##Async, _ptsz,                                                                  \
                    (CUdeviceptr to, size_t pitch, Value value, size_t width, size_t height, CUstream stream),        \
                    (to, pitch, value, width, height, stream))

FAKE_SETS(8, unsigned char)
FAKE_SETS(16, unsigned short)
FAKE_SETS(32, unsigned int)
}
