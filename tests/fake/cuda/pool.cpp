// The pools of memory in stream order, as far as programs ask about them: each device has its default pool, and memory
// that a program takes from it is taken from the card (memory_calls.cpp). A program's own pools are any other handle.
#include <atomic>

#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"

using namespace fake;

namespace {

// cuda.h's.
constexpr int kReleaseThreshold = 4, kUsedHigh = 8;
constexpr int kOpenedFully = 3;

std::atomic<cuuint64_t> g_threshold{0};
std::atomic<int> g_access_of_others{0};

CUmemoryPool pool_of(CUdevice device) { return reinterpret_cast<CUmemoryPool>(intptr_t{0x100} + device); }
bool is_attribute(int attribute) { return attribute > 0 && attribute <= kUsedHigh; }

}  // namespace

extern "C" {

CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    FAKE_ENTRY();
    *pool = pool_of(device);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
    FAKE_ENTRY();
    *pool = pool_of(device);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute attribute, void* value) {
    FAKE_ENTRY();
    if (!is_attribute(attribute) || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *static_cast<cuuint64_t*>(value) = attribute == kReleaseThreshold ? g_threshold.load() : 0;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute attribute, void* value) {
    FAKE_ENTRY();
    if (!is_attribute(attribute) || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (attribute == kReleaseThreshold) g_threshold = *static_cast<cuuint64_t*>(value);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool, size_t) {
    FAKE_ENTRY();
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool, CUmemLocation* location) {
    FAKE_ENTRY();
    const int device = reinterpret_cast<const int*>(location)[1];
    *flags = static_cast<CUmemAccess_flags>(device == 0 ? kOpenedFully : g_access_of_others.load());
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc* access, size_t count) {
    FAKE_ENTRY();
    if (access == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
    const int* const first = reinterpret_cast<const int*>(access);  // where, device, flags
    if (first[1] != 0) g_access_of_others = first[2];
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool, CUstream stream) {
    return cuMemAllocAsync(address, bytes, stream);
}
}
