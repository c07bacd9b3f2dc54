// Memory, copies and fills.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

constexpr unsigned kHostFlags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
constexpr size_t kPageBytes = 4096;
constexpr int kToDevice = 1, kToHost = 2, kOnDevice = 3, kByAddress = 4;

struct Addresses {
    std::mutex mutex;
    std::set<const void*> known;
};
// Returns the words that were allocated as signals.
Addresses& signals() {
    static Addresses& it = *new Addresses;
    return it;
}
// Returns the registered host memory.
Addresses& host_registrations() {
    static Addresses& it = *new Addresses;
    return it;
}

hipError_t allocate(void** memory, size_t bytes) {
    if (memory == nullptr) return hipErrorInvalidValue;
    HIP_TRY(use_device(current_device()));
    CUdeviceptr made = 0;
    HIP_TRY(code_of(cu().cuMemAlloc_v2(&made, bytes)));
    *memory = reinterpret_cast<void*>(made);
    return hipSuccess;
}
hipError_t allocate_host(void** memory, size_t bytes) {
    if (memory == nullptr) return hipErrorInvalidValue;
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuMemHostAlloc(memory, bytes, kHostFlags));
}

hipError_t copy(void* to, const void* from, size_t bytes, int kind) {
    HIP_TRY(use_device(current_device()));
    if (kind == kToDevice) return code_of(cu().cuMemcpyHtoD_v2(at(to), from, bytes));
    if (kind == kToHost) return code_of(cu().cuMemcpyDtoH_v2(to, at(from), bytes));
    if (kind == kOnDevice) return code_of(cu().cuMemcpyDtoD_v2(at(to), at(from), bytes));
    return code_of(cu().cuMemcpy(at(to), at(from), bytes));
}
hipError_t copy_async(void* to, const void* from, size_t bytes, int kind, hipStream_t stream) {
    HIP_TRY(use_stream(stream));
    if (kind == kToDevice) return code_of(cu().cuMemcpyHtoDAsync_v2(at(to), from, bytes, cu_stream(stream)));
    if (kind == kToHost) return code_of(cu().cuMemcpyDtoHAsync_v2(to, at(from), bytes, cu_stream(stream)));
    if (kind == kOnDevice) return code_of(cu().cuMemcpyDtoDAsync_v2(at(to), at(from), bytes, cu_stream(stream)));
    return code_of(cu().cuMemcpyAsync(at(to), at(from), bytes, cu_stream(stream)));
}
hipError_t then_wait(hipError_t code, hipStream_t stream) {
    return code == hipSuccess ? code_of(cu().cuStreamSynchronize(cu_stream(stream))) : code;
}

hipError_t copy_2d(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                   hipStream_t stream) {
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    copy.srcDevice = at(from);
    copy.dstDevice = at(to);
    copy.srcPitch = from_pitch;
    copy.dstPitch = to_pitch;
    copy.WidthInBytes = width;
    copy.Height = height;
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemcpy2DAsync_v2(&copy, cu_stream(stream)));
}

// hip_Memcpy2D has CUDA's members; its numbers for kinds of memory are others, so all are called unified.
hipError_t copy_parameters(const void* given, hipStream_t stream) {
    if (given == nullptr) return hipErrorInvalidValue;
    CUDA_MEMCPY2D copy{};
    std::memcpy(static_cast<void*>(&copy), given, sizeof copy);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemcpy2DAsync_v2(&copy, cu_stream(stream)));
}

}  // namespace

bool is_signal(const void* address) {
    const std::lock_guard lock(signals().mutex);
    return signals().known.count(address) != 0;
}

void demand_nothing_registered() {
    const std::lock_guard lock(host_registrations().mutex);
    if (host_registrations().known.empty()) return;
    std::fprintf(stderr, "fake_hip: misuse: the only device is reset while %zu stretches of memory are registered\n",
                 host_registrations().known.size());
    std::abort();
}

}  // namespace hip_layer

HIP_FUNCTION(hipMalloc, (void** memory, size_t bytes), (memory, bytes)) { return allocate(memory, bytes); }
HIP_FUNCTION(hipFree, (void* memory), (memory)) {
    if (memory == nullptr) return hipSuccess;
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuMemFree_v2(at(memory)));
}
HIP_FUNCTION(hipHostMalloc, (void** memory, size_t bytes, unsigned), (memory, bytes, 0)) {
    return allocate_host(memory, bytes);
}
HIP_FUNCTION(hipHostFree, (void* memory), (memory)) {
    if (memory == nullptr) return hipSuccess;
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuMemFreeHost(memory));
}
HIP_FUNCTION(hipExtMallocWithFlags, (void** memory, size_t bytes, unsigned flags), (memory, bytes, flags)) {
    if (flags != hipMallocSignalMemory) return allocate(memory, bytes);
    if (bytes != sizeof(uint64_t)) return hipErrorInvalidValue;
    if (setting("FAKE_HIP_HIDDEN_SIGNALS"))
        *memory = mmap(nullptr, kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else
        HIP_TRY(allocate_host(memory, bytes));
    const std::lock_guard lock(signals().mutex);
    signals().known.insert(*memory);
    return hipSuccess;
}
HIP_FUNCTION(hipHostRegister, (void* memory, size_t bytes, unsigned), (memory, bytes, 0)) {
    HIP_TRY(use_device(current_device()));
    const hipError_t code = code_of(cu().cuMemHostRegister_v2(memory, bytes, kHostFlags));
    const std::lock_guard lock(host_registrations().mutex);
    if (code == hipSuccess) host_registrations().known.insert(memory);
    return code;
}
// hipHostUnregister waits for the device's work first, as in AMD's runtime.
HIP_FUNCTION(hipHostUnregister, (void* memory), (memory)) {
    HIP_TRY(use_device(current_device()));
    HIP_TRY(code_of(cu().cuCtxSynchronize()));
    {
        const std::lock_guard lock(host_registrations().mutex);
        host_registrations().known.erase(memory);
    }
    return code_of(cu().cuMemHostUnregister(memory));
}
HIP_FUNCTION(hipHostGetDevicePointer, (void** pointer, void* memory, unsigned flags), (pointer, memory, flags)) {
    HIP_TRY(use_device(current_device()));
    CUdeviceptr found = 0;
    HIP_TRY(code_of(cu().cuMemHostGetDevicePointer_v2(&found, memory, flags)));
    *pointer = reinterpret_cast<void*>(found);
    return hipSuccess;
}
HIP_FUNCTION(hipMallocAsync, (void** memory, size_t bytes, hipStream_t stream), (memory, bytes, stream)) {
    HIP_TRY(use_stream(stream));
    CUdeviceptr made = 0;
    HIP_TRY(code_of(cu().cuMemAllocAsync(&made, bytes, cu_stream(stream))));
    *memory = reinterpret_cast<void*>(made);
    return hipSuccess;
}
HIP_FUNCTION(hipFreeAsync, (void* memory, hipStream_t stream), (memory, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemFreeAsync(at(memory), cu_stream(stream)));
}

HIP_FUNCTION(hipMemcpy, (void* to, const void* from, size_t bytes, hipMemcpyKind kind), (to, from, bytes, kind)) {
    return copy(to, from, bytes, kind);
}
HIP_FUNCTION(hipMemcpy_spt, (void* to, const void* from, size_t bytes, hipMemcpyKind kind), (to, from, bytes, kind)) {
    return then_wait(copy_async(to, from, bytes, kind, per_thread(nullptr)), per_thread(nullptr));
}
HIP_FUNCTION(hipMemcpyHtoD, (void* to, const void* from, size_t bytes), (to, from, bytes)) {
    return copy(to, from, bytes, kToDevice);
}
HIP_FUNCTION(hipMemcpyDtoH, (void* to, void* from, size_t bytes), (to, from, bytes)) {
    return copy(to, from, bytes, kToHost);
}
HIP_FUNCTION(hipMemcpyDtoD, (void* to, void* from, size_t bytes), (to, from, bytes)) {
    return copy(to, from, bytes, kOnDevice);
}
HIP_FUNCTION(hipMemcpyAsync, (void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream),
             (to, from, bytes, kind, stream)) {
    return copy_async(to, from, bytes, kind, stream);
}
HIP_FUNCTION(hipMemcpyAsync_spt, (void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream),
             (to, from, bytes, kind, stream)) {
    return copy_async(to, from, bytes, kind, per_thread(stream));
}
// Answers like the runtime: for memory that it does not know, each answer is 0.
HIP_FUNCTION(hipDrvPointerGetAttributes, (unsigned count, int* wanted, void** answers, hipDeviceptr_t pointer),
             (count, wanted, answers, pointer)) {
    enum { kHostPointer = 4, kManaged = 8, kDevice = 9, kBegin = 11, kBytes = 12 };
    unsigned type = 0, managed = 0;
    int device = 0;
    uint64_t begin = 0, bytes = 0;
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* told[] = {&type, &managed, &device, &begin, &bytes};
    HIP_TRY(code_of(cu().cuPointerGetAttributes(5, asked, told, at(pointer))));
    for (unsigned i = 0; i < count; ++i) {
        *static_cast<void**>(answers[i]) = nullptr;
        if (type == 0) continue;
        switch (wanted[i]) {
            case kHostPointer: *static_cast<void**>(answers[i]) = type == CU_MEMORYTYPE_HOST ? pointer : nullptr; break;
            case kManaged: *static_cast<bool*>(answers[i]) = managed != 0; break;
            case kDevice: *static_cast<int*>(answers[i]) = device; break;
            case kBegin: *static_cast<uint64_t*>(answers[i]) = begin; break;
            case kBytes: *static_cast<uint64_t*>(answers[i]) = bytes; break;
            default: return hipErrorNotSupported;
        }
    }
    return hipSuccess;
}
HIP_FUNCTION(hipMemcpyWithStream, (void* to, const void* from, size_t bytes, hipMemcpyKind kind, hipStream_t stream),
             (to, from, bytes, kind, stream)) {
    static const bool calls_exports = setting("FAKE_HIP_CALLS_EXPORTS");
    if (!calls_exports) return then_wait(copy_async(to, from, bytes, kind, stream), stream);
    const auto async = reinterpret_cast<hipError_t (*)(void*, const void*, size_t, hipMemcpyKind, hipStream_t)>(
        dlsym(RTLD_DEFAULT, "hipMemcpyAsync"));
    const auto wait = reinterpret_cast<hipError_t (*)(hipStream_t)>(dlsym(RTLD_DEFAULT, "hipStreamSynchronize"));
    HIP_TRY(async(to, from, bytes, kind, stream));
    return wait(stream);
}
HIP_FUNCTION(hipMemcpyHtoDAsync, (void* to, const void* from, size_t bytes, hipStream_t stream),
             (to, from, bytes, stream)) {
    return copy_async(to, from, bytes, kToDevice, stream);
}
HIP_FUNCTION(hipMemcpyDtoHAsync, (void* to, void* from, size_t bytes, hipStream_t stream), (to, from, bytes, stream)) {
    return copy_async(to, from, bytes, kToHost, stream);
}
HIP_FUNCTION(hipMemcpyDtoDAsync, (void* to, void* from, size_t bytes, hipStream_t stream), (to, from, bytes, stream)) {
    return copy_async(to, from, bytes, kOnDevice, stream);
}
HIP_FUNCTION(hipMemcpyPeerAsync,
             (void* to, int to_device, const void* from, int from_device, size_t bytes, hipStream_t stream),
             (to, to_device, from, from_device, bytes, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemcpyPeerAsync(at(to), hip_layer::context_of(to_device), at(from),
                                          hip_layer::context_of(from_device), bytes, cu_stream(stream)));
}
HIP_FUNCTION(hipMemcpy2D,
             (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
              hipMemcpyKind),
             (to, to_pitch, from, from_pitch, width, height, hipMemcpyKind{})) {
    return then_wait(copy_2d(to, to_pitch, from, from_pitch, width, height, nullptr), nullptr);
}
HIP_FUNCTION(hipMemcpyBatchAsync,
             (void** to, void** from, size_t* bytes, size_t count, void*, size_t*, size_t, size_t* refused,
              hipStream_t stream),
             (to, from, bytes, count, nullptr, nullptr, 0, refused, stream)) {
    for (size_t i = 0; i < count; ++i) {
        *refused = i;
        if (bytes[i] == 12345) return hipErrorInvalidValue;  // so that a test can have one that is refused
        HIP_TRY(copy_async(to[i], from[i], bytes[i], kByAddress, stream));
    }
    return hipSuccess;
}
HIP_FUNCTION(hipMemcpy2DAsync,
             (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
              hipMemcpyKind, hipStream_t stream),
             (to, to_pitch, from, from_pitch, width, height, hipMemcpyKind{}, stream)) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, stream);
}
HIP_FUNCTION(hipMemcpy2DAsync_spt,
             (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
              hipMemcpyKind, hipStream_t stream),
             (to, to_pitch, from, from_pitch, width, height, hipMemcpyKind{}, stream)) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, per_thread(stream));
}
HIP_FUNCTION(hipMemcpyParam2DAsync, (const void* parameters, hipStream_t stream), (parameters, stream)) {
    return copy_parameters(parameters, stream);
}

HIP_FUNCTION(hipMemset, (void* to, int value, size_t bytes), (to, value, bytes)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuMemsetD8_v2(at(to), static_cast<unsigned char>(value), bytes));
}
HIP_FUNCTION(hipMemset_spt, (void* to, int value, size_t bytes), (to, value, bytes)) {
    HIP_TRY(use_device(current_device()));
    const hipStream_t stream = per_thread(nullptr);
    return then_wait(code_of(cu().cuMemsetD8Async(at(to), static_cast<unsigned char>(value), bytes, cu_stream(stream))),
                     stream);
}
HIP_FUNCTION(hipMemsetD8, (void* to, unsigned char value, size_t count), (to, value, count)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuMemsetD8_v2(at(to), value, count));
}
HIP_FUNCTION(hipMemsetD32, (void* to, int value, size_t count), (to, value, count)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuMemsetD32_v2(at(to), static_cast<unsigned>(value), count));
}
HIP_FUNCTION(hipMemsetAsync, (void* to, int value, size_t bytes, hipStream_t stream), (to, value, bytes, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemsetD8Async(at(to), static_cast<unsigned char>(value), bytes, cu_stream(stream)));
}
HIP_FUNCTION(hipMemsetAsync_spt, (void* to, int value, size_t bytes, hipStream_t stream), (to, value, bytes, stream)) {
    HIP_TRY(use_stream(per_thread(stream)));
    return code_of(
        cu().cuMemsetD8Async(at(to), static_cast<unsigned char>(value), bytes, cu_stream(per_thread(stream))));
}
HIP_FUNCTION(hipMemsetD8Async, (void* to, unsigned char value, size_t count, hipStream_t stream),
             (to, value, count, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemsetD8Async(at(to), value, count, cu_stream(stream)));
}
HIP_FUNCTION(hipMemsetD16Async, (void* to, unsigned short value, size_t count, hipStream_t stream),
             (to, value, count, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemsetD16Async(at(to), value, count, cu_stream(stream)));
}
HIP_FUNCTION(hipMemsetD32Async, (void* to, int value, size_t count, hipStream_t stream), (to, value, count, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemsetD32Async(at(to), static_cast<unsigned>(value), count, cu_stream(stream)));
}
HIP_FUNCTION(hipMemsetD2D32Async,
             (void* to, size_t pitch, unsigned value, size_t width, size_t height, hipStream_t stream),
             (to, pitch, value, width, height, stream)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuMemsetD2D32Async(at(to), pitch, value, width, height, cu_stream(stream)));
}
