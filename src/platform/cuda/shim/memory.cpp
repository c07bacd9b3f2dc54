// Where an address points to, as CUDA's driver says.
#include <iterator>

#include "platform/stream/shim/copies.h"

namespace xsched::stream {

Memory memory_at(uintptr_t address) {
    using namespace cuda;
    const auto ask = driver<kEntry_cuPointerGetAttributes>();
    if (ask == nullptr || address == 0) return {};
    unsigned type = 0;
    unsigned managed = 0;
    int device = -1;
    uintptr_t begin = 0;
    size_t bytes = 0;
    int wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                    CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void* answers[] = {&type, &managed, &device, &begin, &bytes};
    if (ask(std::size(wanted), wanted, answers, address) != kSuccess) return {};
    Memory memory;
    if (type == 0) {  // the driver does not know it
        memory.place = Memory::Place::kPageable;
        return memory;
    }
    if (managed != 0 || begin == 0) return memory;
    if (type == CU_MEMORYTYPE_HOST) memory.place = Memory::Place::kPinned;
    if (type == CU_MEMORYTYPE_DEVICE) memory.place = Memory::Place::kDevice;
    memory.begin = begin;
    memory.bytes = bytes;
    memory.device = device;
    return memory;
}

}  // namespace xsched::stream
