// HIP's part of the code that moves and counts memory (platform/stream/shim/memory): types, the calls whose names
// differ between vendors by more than their prefix, and how the runtime differs. AMD's runtime 7.2.4 has run it
// without a GPU (tests/real_rocm); no AMD GPU has. Any thread.
#pragma once

#include "base/options.h"
#include "platform.h"

namespace xsched::stream::memory {

using Array = hip::hipArray_t;
using Mipmap = hip::hipMipmappedArray_t;
using Pool = hip::hipMemPool_t;
using PhysicalHandle = void*;
using IpcName = hip::hipIpcMemHandle_t;
using MemoryLocation = hip::hipMemLocation;

inline constexpr EntryPoint kMemFree = kEntry_hipFree;
inline constexpr EntryPoint kMemGetInfo = kEntry_hipMemGetInfo;
inline constexpr EntryPoint kCopyToDevice = kEntry_hipMemcpyHtoDAsync;
inline constexpr EntryPoint kCopyToHost = kEntry_hipMemcpyDtoHAsync;
inline constexpr EntryPoint kHostRegister = kEntry_hipHostRegister;
inline constexpr EntryPoint kHostUnregister = kEntry_hipHostUnregister;
inline constexpr EntryPoint kSynchronizeAll = kEntry_hipDeviceSynchronize;
inline constexpr EntryPoint kDisablePeerAccess = kEntry_hipDeviceDisablePeerAccess;
inline constexpr EntryPoint kDeviceGetCount = kEntry_hipGetDeviceCount;
inline constexpr EntryPoint kArray3DCreate = kEntry_hipArray3DCreate;
inline constexpr EntryPoint kEventRecordPerThread = kEntry_hipEventRecord_spt;
inline constexpr EntryPoint kStreamWaitEventPerThread = kEntry_hipStreamWaitEvent_spt;

// Returns why memory cannot be moved on this platform; nullptr: it can, if the runtime has the functions. Runtimes
// before 6 have structures of another layout (vendor_call.h). 6.4.3 ended one of three programs whose memory had moved
// ("pure virtual method called", tests/real_rocm).
inline const char* why_memory_stays() {
    constexpr int kVersion7 = 70000000;
    int version = 0;
    if (base::options().hip_memory != 0 && driver<kEntry_hipRuntimeGetVersion>()(&version) == kSuccess &&
        version < kVersion7)
        return "this runtime is too old for --evictable, so the program's memory stays on the device";
    if (base::options().hip_memory != 0) return nullptr;
    return "--evictable has no effect with HIP: the program's memory stays on the device "
           "(XSCHED_DEBUG=hip_memory=1 moves it, which no AMD GPU has tried)";
}
// The memory behind an allocation's addresses is one piece: the runtime looks up an address to learn how large the
// memory there is, and older ones refuse copies from one piece into the next (clr's ihipMemcpy_validate).
inline constexpr bool kInPieces = false;
// Memory that is freed is freed at once: what it would gain to keep it has not been measured.
inline constexpr bool kKeepsSpares = false;

inline bool rdma_may_use(Device) { return false; }
// Returns false: runtimes before 6.2 create no memory that can be exported, and it was not tried with newer ones.
inline bool can_export(Device) { return false; }
// Returns false: whether the runtime refuses frees during a capture is not tried by a free of an unknown address, since
// the runtime would look for memory of its own there. The memory is freed after the capture.
inline bool refused_in_capture(unsigned long long, Result*) { return false; }
// Returns false: the runtime has no such setting of a device.
inline bool wait_for_context_copies(bool) { return false; }

inline Context context_of_peer(Device device) { return context_of_device(device); }

}  // namespace xsched::stream::memory
