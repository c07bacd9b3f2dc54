// The vendor's calls about memory under common names, and with common types: addresses and handles are numbers here,
// which some vendors pass as pointers. memory_calls.h is the platform's own.
#pragma once

#include "memory_calls.h"
#include "platform.h"
#include "platform/stream/shim/address.h"
#include "platform/stream/shim/trace.h"

namespace xsched::stream::memory {

using Address = unsigned long long;  // of the device's memory
using Handle = unsigned long long;   // of physical memory

// Result codes and attributes of the driver's functions for memory. The vendors use the same numbers (tests compare
// them with the vendors' headers).
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kInvalidContext = 201;
inline constexpr Result kMapFailed = 205;
inline constexpr Result kInvalidHandle = 400;
inline constexpr Result kContextIsDestroyed = 709;
inline constexpr Result kUnknownError = 999;
inline constexpr int kTokensAttribute = 5;  // of an address
inline constexpr int kSyncAttribute = 6;

#define XSCHED_JOINED(first, second) first##second
#define XSCHED_ENTRY_OF(name) XSCHED_JOINED(kEntry_, name)
#define XSCHED_CALL(name) inline constexpr EntryPoint k##name = XSCHED_ENTRY_OF(VENDOR(name));
XSCHED_CALL(MemAddressReserve)
XSCHED_CALL(MemAddressFree)
XSCHED_CALL(MemCreate)
XSCHED_CALL(MemRelease)
XSCHED_CALL(MemMap)
XSCHED_CALL(MemUnmap)
XSCHED_CALL(MemSetAccess)
XSCHED_CALL(MemExportToShareableHandle)
XSCHED_CALL(MemImportFromShareableHandle)
XSCHED_CALL(MemPoolGetAccess)
XSCHED_CALL(MemPoolGetAttribute)
XSCHED_CALL(DeviceGetDefaultMemPool)
XSCHED_CALL(DeviceGetMemPool)
XSCHED_CALL(EventQuery)
XSCHED_CALL(EventRecord)
XSCHED_CALL(StreamSynchronize)
XSCHED_CALL(StreamWaitEvent)
#undef XSCHED_CALL

// Constants and first members of the driver's structures for memory, which CUDA and HIP lay out alike.
inline constexpr int kPinned = 1;          // ..._MEM_ALLOCATION_TYPE_PINNED
inline constexpr int kFileDescriptor = 1;  // ..._MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
inline constexpr int kOnDevice = 1;        // ..._MEM_LOCATION_TYPE_DEVICE
inline constexpr int kReadAndWrite = 3;    // ..._MEM_ACCESS_FLAGS_PROT_READWRITE
struct MemoryProperties {
    int type;
    int requestedHandleTypes;
    MemoryLocation location;
    void* win32HandleMetaData;
    unsigned char compression, usable_by_rdma;
    unsigned short usage;  // 0: memory for mappings, else for sparse arrays
    unsigned char reserved[4];
};
struct MemoryAccess {
    MemoryLocation location;
    int flags;
};

// Returns a value in the vendor's type: a number as a pointer, or the other way round.
template <typename To, typename From>
To as_vendors(From value) {
    if constexpr (std::is_same_v<To, From>)
        return value;
    else if constexpr (std::is_pointer_v<To> && std::is_integral_v<From>)
        return reinterpret_cast<To>(static_cast<uintptr_t>(value));
    else if constexpr (std::is_pointer_v<To>)
        return reinterpret_cast<To>(value);
    else
        return static_cast<To>(value);
}

template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct VendorCall;
template <EntryPoint kEntry, typename... Arguments>
struct VendorCall<kEntry, Result (*)(Arguments...)> {
    template <typename... Given>
    static Result call(Given... given) {
        return driver<kEntry>()(as_vendors<Arguments>(given)...);
    }
    template <typename... Given>
    static Result traced(Given... given) {
        return Traced<kEntry>::call(as_vendors<Arguments>(given)...);
    }
};

template <EntryPoint kEntry, typename... Given>
Result vendor_call(Given... given) {
    return VendorCall<kEntry>::call(given...);
}
// Logs the call as well (trace.h).
template <EntryPoint kEntry, typename... Given>
Result traced_call(Given... given) {
    return VendorCall<kEntry>::traced(given...);
}

// Returns an address as the vendor's functions have it.
inline DevicePtr pointer_to(Address address) { return as_vendors<DevicePtr>(address); }

}  // namespace xsched::stream::memory
