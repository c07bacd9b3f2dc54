// Counts the memory of each device that the program has by calls of its own, and holds it to the program's limit
// (XSCHED_MEMORY_LIMIT, docs/memory.md). Any thread. No lock is held while the driver is called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/no_copies.h"
#include "platform/cuda/shim/platform.h"

namespace xsched::cuda {

// The name of an allocation: an address, or a handle of the driver's.
struct MemoryName {
    enum class Kind : uint8_t { kAddress, kArray, kMipmap, kPhysical };
    uint64_t number;
    Kind kind;

    MemoryName(CUdeviceptr memory) : number(memory), kind(Kind::kAddress) {}
    MemoryName(CUarray array) : number(reinterpret_cast<uint64_t>(array)), kind(Kind::kArray) {}
    MemoryName(CUmipmappedArray mipmap) : number(reinterpret_cast<uint64_t>(mipmap)), kind(Kind::kMipmap) {}
    // The driver's handles have a type that addresses have as well.
    static MemoryName of_handle(CUmemGenericAllocationHandle handle) {
        MemoryName name(CUdeviceptr{handle});
        name.kind = Kind::kPhysical;
        return name;
    }
    bool operator==(const MemoryName&) const = default;
};

// The place of one allocation, from before the driver's call on. It is given back at the end, unless it is kept.
class Room : base::NoCopies {
public:
    // Reserves the bytes in the account of a device; -1: of the current context's device.
    explicit Room(size_t bytes, CUdevice device = -1);
    ~Room();
    // Returns false if the program would have more than it may. One line has said so.
    bool enough() const { return enough_; }
    void keep(const MemoryName& memory);

private:
    const size_t bytes_;
    CUcontext context_ = nullptr;  // whose end is the memory's; nullptr: none
    CUdevice device_ = -1;  // -1: nothing is counted
    bool counted_ = false;  // by the scheduler
    bool enough_ = true;
};

// Memory that is being freed. Its place is free at the end, unless the call failed. Physical memory has several uses:
// each of its handles and each of its mappings. The end of any but the last one changes nothing.
class Leaving : base::NoCopies {
public:
    explicit Leaving(const MemoryName& memory);
    ~Leaving();
    void stays() { stays_ = true; }

private:
    const MemoryName memory_;
    void* counted_;  // nullptr: it is not counted, or has more uses
    bool stays_ = false;
};

// Notes one more use of counted physical memory. Changes nothing if the memory is not counted: memory of another
// process counts there.
void add_use(const MemoryName& memory);

// Stops counting the memory of a context that the driver destroys.
void forget_counted(CUcontext context);
// Returns how many bytes the program has on the current context's device.
uint64_t counted_bytes();
// Changes the driver's answer to cuMemGetInfo to what the program may have; the pointers may be null.
void show_what_it_may_have(size_t* free, size_t* total);
// Changes the driver's answer to cuDeviceTotalMem to what the program may have at most.
void show_whole_of_what_it_may_have(size_t* total);
// Tells the scheduler how much of the memory on the current context's device stays there.
void tell_of_counted();

}  // namespace xsched::cuda
