// HIP's runtime's answer about an address.
#include "platform/stream/shim/memory.h"

#include "vendor.h"

namespace xsched::stream {

static_assert(kManagedAttribute == hip::HIP_POINTER_ATTRIBUTE_IS_MANAGED &&
              kDeviceAttribute == hip::HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL &&
              kBeginAttribute == hip::HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR &&
              kBytesAttribute == hip::HIP_POINTER_ATTRIBUTE_RANGE_SIZE);

// Returns whether memory is the host's or a device's, by whether it has an address on the host: the numbers of the
// types of memory changed with ROCm 6.
Memory::Place place_of(uint64_t host_address, uint64_t bytes) {
    if (bytes == 0) return Memory::Place::kPageable;  // the runtime does not know it
    return host_address != 0 ? Memory::Place::kPinned : Memory::Place::kDevice;
}

}  // namespace xsched::stream
