#include "platform/nvidia/hal/library_call.h"

#include <cstring>

namespace xsched::nvidia {

using namespace cuda::rm;

namespace {

template <typename T>
bool read_as(unsigned number, const Call& call, T& parameters) {
    if (call.number != number || call.bytes != sizeof parameters) return false;
    std::memcpy(&parameters, call.parameters, sizeof parameters);
    return true;
}

}  // namespace

bool unwrap(unsigned long request, const void* argument, Call& call) {
    if (_IOC_TYPE(request) != NV_IOCTL_MAGIC || argument == nullptr) return false;
    call = {static_cast<unsigned>(_IOC_NR(request)), _IOC_SIZE(request), argument};
    if (call.number != NV_ESC_IOCTL_XFER_CMD) return true;
    if (call.bytes != sizeof(nv_ioctl_xfer_t)) return false;
    nv_ioctl_xfer_t wrapped{};
    std::memcpy(&wrapped, argument, sizeof wrapped);
    call = {wrapped.cmd, wrapped.size, reinterpret_cast<const void*>(static_cast<uintptr_t>(wrapped.ptr))};
    return call.parameters != nullptr;
}

bool read_allocation(const Call& call, Allocation& allocation) {
    if (call.number != NV_ESC_RM_ALLOC) return false;
    if (call.bytes == sizeof(NVOS21_PARAMETERS)) {
        std::memcpy(&allocation.head, call.parameters, sizeof allocation.head);
        // In the older structure the status stands at the place of the newer one's paramsSize.
        allocation.status = allocation.head.status;
        return true;
    }
    if (call.bytes != sizeof(NVOS64_PARAMETERS) && call.bytes != kOldNVOS64Bytes) return false;
    NVOS64_PARAMETERS full{};
    std::memcpy(&full, call.parameters, call.bytes);
    std::memcpy(&allocation.head, &full, offsetof(NVOS21_PARAMETERS, paramsSize));
    allocation.status = call.bytes == kOldNVOS64Bytes ? full.flags : full.status;
    return true;
}

bool read_free(const Call& call, NVOS00_PARAMETERS& freed) { return read_as(NV_ESC_RM_FREE, call, freed); }

bool read_duplicate(const Call& call, NVOS55_PARAMETERS& duplicated) {
    return read_as(NV_ESC_RM_DUP_OBJECT, call, duplicated);
}

uint32_t engine_of(const Allocation& allocation) {
    if (allocation.head.pAllocParms == 0) return 0;
    NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS group{};
    std::memcpy(&group, reinterpret_cast<const void*>(static_cast<uintptr_t>(allocation.head.pAllocParms)),
                sizeof group);
    return group.engineType;
}

}  // namespace xsched::nvidia
