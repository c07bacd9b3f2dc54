// CUDA's driver's answer about an address.
#include "platform/stream/shim/memory.h"

#include "vendor.h"

namespace xsched::stream {

static_assert(kManagedAttribute == cuda::CU_POINTER_ATTRIBUTE_IS_MANAGED);
static_assert(kDeviceAttribute == cuda::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(kBeginAttribute == cuda::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
static_assert(kBytesAttribute == cuda::CU_POINTER_ATTRIBUTE_RANGE_SIZE);

Memory::Place place_of(uint64_t type, uint64_t) {
    switch (type) {
        case 0: return Memory::Place::kPageable;  // the driver does not know it
        case cuda::CU_MEMORYTYPE_HOST: return Memory::Place::kPinned;
        case cuda::CU_MEMORYTYPE_DEVICE: return Memory::Place::kDevice;
        default: return Memory::Place::kUnknown;
    }
}

}  // namespace xsched::stream
