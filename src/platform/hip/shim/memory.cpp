// Where an address points to, as HIP's runtime says.
#include <iterator>

#include "platform/stream/shim/copies.h"

namespace xsched::stream {

Memory memory_at(uintptr_t address) {
    using namespace hip;
    const auto ask = driver<kEntry_hipDrvPointerGetAttributes>();
    if (ask == nullptr || address == 0) return {};
    // Each answer is of this size at most: the runtime writes so much for what it does not know. The numbers of the
    // types of memory changed with ROCm 6; whether it has an address on the host tells the same.
    uint64_t host = 0;
    uint64_t managed = 0;
    uint64_t device = 0;
    uint64_t begin = 0;
    uint64_t bytes = 0;
    int wanted[] = {HIP_POINTER_ATTRIBUTE_HOST_POINTER, HIP_POINTER_ATTRIBUTE_IS_MANAGED,
                    HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                    HIP_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* answers[] = {&host, &managed, &device, &begin, &bytes};
    const OwnCalls own(*hal_api());
    if (ask(std::size(wanted), wanted, answers, reinterpret_cast<hipDeviceptr_t>(address)) != kSuccess) return {};
    Memory memory;
    if (bytes == 0) {  // the runtime does not know it
        memory.place = Memory::Place::kPageable;
        return memory;
    }
    if ((managed & 1) != 0) return memory;
    memory.place = host != 0 ? Memory::Place::kPinned : Memory::Place::kDevice;
    memory.begin = begin;
    memory.bytes = bytes;
    memory.device = static_cast<int>(device);
    return memory;
}

}  // namespace xsched::stream
