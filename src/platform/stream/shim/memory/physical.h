// Physical memory that the program creates and maps itself (cuMemCreate, cuMemMap), as PyTorch's expandable segments
// do. The program gets a handle of ours, so that the driver's memory behind it can be released and created again. The
// errands' thread, while no thread of the program is inside a DeviceUse. Calls the driver itself, without locks.
#pragma once

#include "platform/stream/shim/memory/memory_pieces.h"

namespace xsched::stream::memory {

struct Physical;

// One place at which the program has mapped physical memory of its own.
struct Mapping {
    Mapping* next_in_bucket = nullptr;
    Mapping* next = nullptr;  // of the same physical memory
    Physical* of = nullptr;
    Address begin = 0;
    size_t bytes = 0;
    size_t offset = 0;  // in the physical memory
    int access = 0;     // of its own device; 0: none
    bool there = true;  // the driver has the mapping
};

struct Physical {
    PieceRange range;  // `begin` is the program's handle
    Physical* next_in_bucket = nullptr;
    MemoryProperties wanted{};
    size_t handles = 1;  // references that the program has to release
    size_t calls = 0;    // under way with the handle
    Mapping* mappings = nullptr;
    Address window = 0;  // where it is mapped for our copies; 0: nowhere
};

// Makes the memory reachable for copies by `range.mapped`: by a mapping of the program, or by a window of ours.
Result open_to_copies(Physical& memory);
void close_to_copies(Physical& memory);
// Takes the memory away from under its mappings; its contents are lost.
void unmap_physical(Physical& memory);
// Creates the memory again, with undefined contents, maps it as it was, and makes it reachable for copies. If that
// fails, unmap_physical takes back what was done.
Result map_physical(Physical& memory);

}  // namespace xsched::stream::memory
