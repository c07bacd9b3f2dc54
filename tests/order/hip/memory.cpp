// The CUDA driver's functions for physical memory behind reserved addresses, and for the default pool, by HIP's. The
// vendors' structures have the same layout, and handles are pointers here.
#include "order/hip/calls.h"

namespace cuda {
namespace {

void* handle_of(CUmemGenericAllocationHandle handle) { return reinterpret_cast<void*>(handle); }

void fill_pieces(Api& api) {
    api.cuMemAddressReserve = [](CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                                 unsigned long long flags) {
        return code_of(
            h().hipMemAddressReserve(reinterpret_cast<void**>(address), bytes, alignment, at(wanted), flags));
    };
    api.cuMemAddressFree = [](CUdeviceptr address, size_t bytes) {
        return code_of(h().hipMemAddressFree(at(address), bytes));
    };
    api.cuMemCreate = [](CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* wanted,
                         unsigned long long flags) {
        return code_of(h().hipMemCreate(reinterpret_cast<void**>(handle), bytes, wanted, flags));
    };
    api.cuMemRelease = [](CUmemGenericAllocationHandle handle) {
        return code_of(h().hipMemRelease(handle_of(handle)));
    };
    api.cuMemMap = [](CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                      unsigned long long flags) {
        return code_of(h().hipMemMap(at(address), bytes, offset, handle_of(handle), flags));
    };
    api.cuMemUnmap = [](CUdeviceptr address, size_t bytes) { return code_of(h().hipMemUnmap(at(address), bytes)); };
    api.cuMemSetAccess = [](CUdeviceptr address, size_t bytes, const CUmemAccessDesc* access, size_t count) {
        return code_of(h().hipMemSetAccess(at(address), bytes, access, count));
    };
    api.cuMemRetainAllocationHandle = [](CUmemGenericAllocationHandle* handle, void* address) {
        return code_of(h().hipMemRetainAllocationHandle(reinterpret_cast<void**>(handle), address));
    };
}

}  // namespace

void fill_memory(Api& api) {
    fill_pieces(api);
    api.cuDeviceGetDefaultMemPool = [](CUmemoryPool* pool, CUdevice device) {
        return code_of(h().hipDeviceGetDefaultMemPool(reinterpret_cast<hipMemPool_t*>(pool), device));
    };
    api.cuMemPoolTrimTo = [](CUmemoryPool pool, size_t bytes) {
        return code_of(h().hipMemPoolTrimTo(reinterpret_cast<hipMemPool_t>(pool), bytes));
    };
    api.cuMemGetInfo_v2 = [](size_t* free, size_t* total) { return code_of(h().hipMemGetInfo(free, total)); };
    api.cuStreamCreate = [](CUstream* stream, unsigned flags) {
        return code_of(h().hipStreamCreateWithFlags(reinterpret_cast<hipStream_t*>(stream), flags));
    };
    api.cuCtxSetCurrent = [](CUcontext context) { return code_of(h().hipSetDevice(device_of(context))); };
}

}  // namespace cuda
