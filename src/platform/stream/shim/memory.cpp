// Asks the vendor's driver where an address points to.
#include "platform/stream/shim/memory.h"

#include <bit>
#include <iterator>

#include "platform.h"

namespace xsched::stream {

Memory memory_at(uintptr_t address) {
    const auto ask = driver<kAskMemory>();
    if (ask == nullptr || address == 0) return {};
    // Largest answer: HIP's runtime writes this much for attributes that it does not know.
    uint64_t where = 0;
    uint64_t managed = 0;
    uint64_t device = 0;
    uint64_t begin = 0;
    uint64_t bytes = 0;
    int wanted[] = {kWhereAttribute, kManagedAttribute, kDeviceAttribute, kBeginAttribute, kBytesAttribute};
    void* answers[] = {&where, &managed, &device, &begin, &bytes};
    const OwnCalls own(*hal_api());
    if (ask(std::size(wanted), wanted, answers, std::bit_cast<DevicePtr>(address)) != kSuccess) return {};
    Memory memory;
    memory.place = place_of(where, bytes);
    if (memory.place == Memory::Place::kPageable) return memory;
    if ((managed & 1) != 0 || begin == 0) return {};
    memory.begin = begin;
    memory.bytes = bytes;
    memory.device = static_cast<int>(device);
    return memory;
}

}  // namespace xsched::stream
