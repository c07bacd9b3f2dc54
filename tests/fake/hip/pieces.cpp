// Physical memory behind reserved addresses, questions about memory, arrays, and the default pool, as far as programs
// and the shim use them.
#include <atomic>

#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

std::atomic<uint64_t> g_threshold{0};
std::atomic<int> g_access_of_others{0};

// The numbers of hipMemPoolAttr.
constexpr int kReleaseThreshold = 4, kUsedHigh = 8;
constexpr size_t kPitch = 256;
constexpr int kOpenedFully = 3;

CUmemGenericAllocationHandle handle_of(const void* handle) {
    return reinterpret_cast<CUmemGenericAllocationHandle>(handle);
}
hipError_t stored(CUresult code, const CUdeviceptr& made, void** place) {
    if (code == CUDA_SUCCESS) *place = reinterpret_cast<void*>(made);
    return code_of(code);
}

}  // namespace
}  // namespace hip_layer

HIP_FUNCTION(hipMemAddressReserve,
             (void** address, size_t bytes, size_t alignment, void* wanted, unsigned long long flags),
             (address, bytes, alignment, wanted, flags)) {
    CUdeviceptr made = 0;
    return stored(cu().cuMemAddressReserve(&made, bytes, alignment, at(wanted), flags), made, address);
}
HIP_FUNCTION(hipMemAddressFree, (void* address, size_t bytes), (address, bytes)) {
    return code_of(cu().cuMemAddressFree(at(address), bytes));
}
HIP_FUNCTION(hipMemCreate, (void** handle, size_t bytes, const void* wanted, unsigned long long flags),
             (handle, bytes, wanted, flags)) {
    HIP_TRY(use_device(current_device()));
    CUmemGenericAllocationHandle made = 0;
    return stored(cu().cuMemCreate(&made, bytes, static_cast<const CUmemAllocationProp*>(wanted), flags), made, handle);
}
HIP_FUNCTION(hipMemRelease, (void* handle), (handle)) { return code_of(cu().cuMemRelease(handle_of(handle))); }
HIP_FUNCTION(hipMemMap, (void* address, size_t bytes, size_t offset, void* handle, unsigned long long flags),
             (address, bytes, offset, handle, flags)) {
    return code_of(cu().cuMemMap(at(address), bytes, offset, handle_of(handle), flags));
}
HIP_FUNCTION(hipMemUnmap, (void* address, size_t bytes), (address, bytes)) {
    return code_of(cu().cuMemUnmap(at(address), bytes));
}
HIP_FUNCTION(hipMemSetAccess, (void* address, size_t bytes, const void* access, size_t count),
             (address, bytes, access, count)) {
    return code_of(cu().cuMemSetAccess(at(address), bytes, static_cast<const CUmemAccessDesc*>(access), count));
}
HIP_FUNCTION(hipMemGetAccess, (unsigned long long* flags, const void* location, void* address),
             (flags, location, address)) {
    return code_of(cu().cuMemGetAccess(flags, static_cast<const CUmemLocation*>(location), at(address)));
}
HIP_FUNCTION(hipMemRetainAllocationHandle, (void** handle, void* address), (handle, address)) {
    CUmemGenericAllocationHandle found = 0;
    return stored(cu().cuMemRetainAllocationHandle(&found, address), found, handle);
}
HIP_FUNCTION(hipMemGetAllocationPropertiesFromHandle, (void* properties, void* handle), (properties, handle)) {
    return code_of(
        cu().cuMemGetAllocationPropertiesFromHandle(static_cast<CUmemAllocationProp*>(properties), handle_of(handle)));
}
HIP_FUNCTION(hipMemExportToShareableHandle, (void* shared, void* handle, int type, unsigned long long flags),
             (shared, handle, type, flags)) {
    return code_of(cu().cuMemExportToShareableHandle(shared, handle_of(handle),
                                                     static_cast<CUmemAllocationHandleType>(type), flags));
}

HIP_FUNCTION(hipMemGetInfo, (size_t* free, size_t* total), (free, total)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuMemGetInfo_v2(free, total));
}
HIP_FUNCTION(hipDeviceTotalMem, (size_t* total, int device), (total, device)) {
    return code_of(cu().cuDeviceTotalMem_v2(total, device));
}
HIP_FUNCTION(hipMemGetAddressRange, (hipDeviceptr_t * begin, size_t* bytes, hipDeviceptr_t address),
             (begin, bytes, address)) {
    CUdeviceptr found = 0;
    return stored(cu().cuMemGetAddressRange_v2(&found, bytes, at(address)), found, begin);
}

HIP_FUNCTION(hipPointerGetAttribute, (void* answer, int attribute, hipDeviceptr_t address),
             (answer, attribute, address)) {
    auto wanted = static_cast<CUpointer_attribute>(attribute);
    return code_of(cu().cuPointerGetAttributes(1, &wanted, &answer, at(address)));
}
// A descriptor of linear memory alone.
HIP_FUNCTION(hipTexObjectCreate, (void** texture, const void* resource, const void*, const void*),
             (texture, resource, nullptr, nullptr)) {
    *texture = const_cast<void*>(resource);
    return hipSuccess;
}

HIP_FUNCTION(hipMemAllocPitch, (hipDeviceptr_t * memory, size_t* pitch, size_t width, size_t height, unsigned),
             (memory, pitch, width, height, 0)) {
    HIP_TRY(use_device(current_device()));
    CUdeviceptr made = 0;
    *pitch = (width + kPitch - 1) / kPitch * kPitch;
    return stored(cu().cuMemAlloc_v2(&made, *pitch * height), made, memory);
}
HIP_FUNCTION(hipArrayCreate, (hipArray_t * array, const void* wanted), (array, wanted)) {
    HIP_TRY(use_device(current_device()));
    CUarray made = nullptr;
    HIP_TRY(code_of(cu().cuArrayCreate_v2(&made, static_cast<const CUDA_ARRAY_DESCRIPTOR*>(wanted))));
    *array = reinterpret_cast<hipArray_t>(made);
    return hipSuccess;
}
HIP_FUNCTION(hipArrayDestroy, (hipArray_t array), (array)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuArrayDestroy(reinterpret_cast<CUarray>(array)));
}

HIP_FUNCTION(hipDeviceGetDefaultMemPool, (hipMemPool_t * pool, int device), (pool, device)) {
    return code_of(cu().cuDeviceGetDefaultMemPool(reinterpret_cast<CUmemoryPool*>(pool), device));
}
HIP_FUNCTION(hipDeviceGetMemPool, (hipMemPool_t * pool, int device), (pool, device)) {
    return code_of(cu().cuDeviceGetDefaultMemPool(reinterpret_cast<CUmemoryPool*>(pool), device));
}
HIP_FUNCTION(hipMemPoolTrimTo, (hipMemPool_t pool, size_t bytes), (pool, bytes)) {
    return code_of(cu().cuMemPoolTrimTo(reinterpret_cast<CUmemoryPool>(pool), bytes));
}
HIP_FUNCTION(hipMallocFromPoolAsync, (void** memory, size_t bytes, hipMemPool_t, hipStream_t stream),
             (memory, bytes, nullptr, stream)) {
    HIP_TRY(use_stream(stream));
    CUdeviceptr made = 0;
    return stored(cu().cuMemAllocAsync(&made, bytes, cu_stream(stream)), made, memory);
}
HIP_FUNCTION(hipMemPoolGetAccess, (int* flags, hipMemPool_t, hipMemLocation* location), (flags, nullptr, location)) {
    *flags = location->id == 0 ? kOpenedFully : g_access_of_others.load();
    return hipSuccess;
}
HIP_FUNCTION(hipMemPoolSetAccess, (hipMemPool_t, const void* access, size_t count), (nullptr, access, count)) {
    const auto* const first = static_cast<const int*>(access);  // where, device, flags
    if (access == nullptr || count == 0) return hipErrorInvalidValue;
    if (first[1] != 0) g_access_of_others = first[2];
    return hipSuccess;
}
HIP_FUNCTION(hipMemPoolGetAttribute, (hipMemPool_t, int attribute, void* value), (nullptr, attribute, value)) {
    if (attribute <= 0 || attribute > kUsedHigh || value == nullptr) return hipErrorInvalidValue;
    *static_cast<uint64_t*>(value) = attribute == kReleaseThreshold ? g_threshold.load() : 0;
    return hipSuccess;
}
HIP_FUNCTION(hipMemPoolSetAttribute, (hipMemPool_t, int attribute, void* value), (nullptr, attribute, value)) {
    if (attribute <= 0 || attribute > kUsedHigh || value == nullptr) return hipErrorInvalidValue;
    if (attribute == kReleaseThreshold) g_threshold = *static_cast<uint64_t*>(value);
    return hipSuccess;
}
