// The fake driver's memory: what is device memory, what is pinned, what is registered. Any thread.
#pragma once

#include "fake/cuda/engine.h"

namespace fake {

enum class Memory { kPageable, kDevice, kManaged, kPinned, kRegistered };

// Device addresses of registered memory have this bit, so that a host's address is never taken for one.
constexpr CUdeviceptr kRegisteredBit = CUdeviceptr{1} << 62;

inline std::byte* host_of(CUdeviceptr address) { return reinterpret_cast<std::byte*>(address & ~kRegisteredBit); }
inline std::byte* host_of(const void* address) { return host_of(reinterpret_cast<CUdeviceptr>(address)); }

// nullptr: out of memory.
void* allocate(Context& context, size_t bytes, Memory kind, bool portable);
// Notes that physical memory was mapped at these reserved addresses, or that it was unmapped (pieces.cpp).
void add_mapped(uintptr_t start, size_t bytes, int device);
bool remove_mapped(uintptr_t start, size_t bytes);
// Returns the bytes of all devices together, used by all processes that share the device.
size_t device_bytes();
size_t memory_of_device();
// Frees memory of this kind. Returns false if `start` is not the start of such memory.
bool release(const void* start, Memory kind);
CUresult register_memory(Context& context, void* start, size_t bytes, bool portable);
CUresult unregister_memory(void* start);
// Returns the device address of registered or pinned memory; 0: the memory is neither.
CUdeviceptr device_address(const void* host);
void release_all_of(Context& context);

Memory kind_of(const void* address);
// The range that is allocated or registered around an address; bytes 0: none.
struct Extent {
    Memory kind = Memory::kPageable;
    uintptr_t start = 0;
    size_t bytes = 0;
    int device = -1;
    bool mapped = false;  // behind reserved addresses (pieces.cpp)
};
Extent extent_at(const void* address);
// Returns whether a value operation of this context may use the word; if not, that is a misuse.
bool word_is_usable(CUdeviceptr address, const Context& context);
bool word_compares(const Command& command, const Context& context);
long device_writes();  // how many there were
void write_word(CUdeviceptr address, uint64_t value, bool wide, const Context& context);

}  // namespace fake
