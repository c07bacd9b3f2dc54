// Asks the vendor's driver where an address points to. Any thread; holds no lock.
#pragma once

#include <cstdint>

namespace xsched::stream {

struct Memory {
    enum class Place { kUnknown, kPageable, kPinned, kDevice };
    Place place = Place::kUnknown;  // kUnknown: not to be taken apart
    uintptr_t begin = 0;  // of the range that the driver knows there; not of pageable memory
    uint64_t bytes = 0;
    int device = -1;  // kDevice: which
};
// (memory.cpp)
Memory memory_at(uintptr_t address);
// Translates the answer to kWhereAttribute (platform.h) for a range of `bytes`. (platform/<p>/shim/memory.cpp)
Memory::Place place_of(uint64_t where, uint64_t bytes);
// Numbers of further attributes that a driver tells of an address. They are the same on every platform, unlike
// kWhereAttribute.
inline constexpr int kManagedAttribute = 8;
inline constexpr int kDeviceAttribute = 9;
inline constexpr int kBeginAttribute = 11;
inline constexpr int kBytesAttribute = 12;

}  // namespace xsched::stream
