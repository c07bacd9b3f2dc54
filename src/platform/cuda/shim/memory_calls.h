// CUDA's part of the code that moves and counts memory (platform/stream/shim/memory): types, the calls whose names
// differ between vendors by more than their prefix, and what only this driver can tell. Any thread.
#pragma once

#include "platform.h"

namespace xsched::stream::memory {

using Array = cuda::CUarray;
using Mipmap = cuda::CUmipmappedArray;
using Pool = cuda::CUmemoryPool;
using PhysicalHandle = cuda::CUmemGenericAllocationHandle;
using IpcName = cuda::CUipcMemHandle;
using MemoryLocation = cuda::CUmemLocation;

inline constexpr EntryPoint kMemFree = kEntry_cuMemFree_v2;
inline constexpr EntryPoint kMemGetInfo = kEntry_cuMemGetInfo_v2;
inline constexpr EntryPoint kCopyToDevice = kEntry_cuMemcpyHtoDAsync_v2;
inline constexpr EntryPoint kCopyToHost = kEntry_cuMemcpyDtoHAsync_v2;
inline constexpr EntryPoint kHostRegister = kEntry_cuMemHostRegister_v2;
inline constexpr EntryPoint kHostUnregister = kEntry_cuMemHostUnregister;
inline constexpr EntryPoint kSynchronizeAll = kEntry_cuCtxSynchronize;
inline constexpr EntryPoint kDisablePeerAccess = kEntry_cuCtxDisablePeerAccess;
inline constexpr EntryPoint kDeviceGetCount = kEntry_cuDeviceGetCount;
inline constexpr EntryPoint kArray3DCreate = kEntry_cuArray3DCreate_v2;
inline constexpr EntryPoint kEventRecordPerThread = kEntry_cuEventRecord_ptsz;
inline constexpr EntryPoint kStreamWaitEventPerThread = kEntry_cuStreamWaitEvent_ptsz;

// Returns why memory cannot be moved on this platform; nullptr: it can, if the driver has the functions.
inline const char* why_memory_stays() { return nullptr; }
// The memory behind an allocation's addresses is made of several pieces (memory_pieces.h).
inline constexpr bool kInPieces = true;
// Freed memory is kept while the program has victims (spare_memory.h): measured, docs/decisions/018.
inline constexpr bool kKeepsSpares = true;

inline bool is_supported(int attribute, Device device) {
    int supported = 0;
    return driver<kEntry_cuDeviceGetAttribute>()(&supported, attribute, device) == kSuccess && supported != 0;
}
// Returns whether network cards may use memory that is made of pieces on this device, as they may use memory of
// cuMemAlloc. Measured on an H200: pieces that they may use are made 12 % slower, that is 0.1 ms per GiB.
inline bool rdma_may_use(Device device) {
    return is_supported(cuda::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, device);
}
// Returns whether the driver can export memory of the device as descriptors.
inline bool can_export(Device device) {
    return is_supported(cuda::CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, device);
}
// Returns whether the driver refuses frees of this thread because a stream is captured
// (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED and the codes behind it). Asks by a free of `memory`, an address that the
// driver does not know: without a capture it refuses with another code.
inline bool refused_in_capture(unsigned long long memory, Result* code) {
    *code = driver<kMemFree>()(memory);
    return *code >= cuda::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && *code < cuda::CUDA_ERROR_UNKNOWN;
}
// Asks the driver to wait for each copy of the current context (CU_CTX_SYNC_MEMOPS), if `wanted`. Returns false if it
// is too old.
inline bool wait_for_context_copies(bool wanted) {
    constexpr unsigned kSyncMemops = 0x80;  // CU_CTX_SYNC_MEMOPS
    const auto ask = driver<kEntry_cuCtxGetFlags>();
    const auto set = driver<kEntry_cuCtxSetFlags>();
    unsigned flags = 0;
    return ask != nullptr && set != nullptr && ask(&flags) == kSuccess &&
           (!wanted || set(flags | kSyncMemops) == kSuccess);
}

inline Context context_of_peer(Context context) { return context; }

}  // namespace xsched::stream::memory
