// Counts the memory of each device that the program has by calls of its own, and holds it to the program's limit
// (XSCHED_MEMORY_LIMIT, docs/memory.md). Memory of pools, of arrays and of the program's own mappings is not counted.
// Any thread. No lock is held while the driver is called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/no_copies.h"
#include "platform/cuda/shim/platform.h"

namespace xsched::cuda {

// The place of one allocation, from before the driver's call on. It is given back at the end, unless it is kept.
class Room : base::NoCopies {
public:
    // Takes place on the current context's device.
    explicit Room(size_t bytes);
    ~Room();
    // Returns false if the program would have more than it may. One line has said so.
    bool enough() const { return enough_; }
    void keep(CUdeviceptr memory);

private:
    const size_t bytes_;
    CUcontext context_ = nullptr;  // nullptr: nothing is counted
    CUdevice device_ = -1;
    bool counted_ = false;  // by the scheduler
    bool enough_ = true;
};

// Memory that is being freed. Its place is free at the end, unless the call failed.
class Leaving : base::NoCopies {
public:
    explicit Leaving(CUdeviceptr memory);
    ~Leaving();
    void stays() { stays_ = true; }

private:
    void* counted_;
    bool stays_ = false;
};

// The driver destroys the context, and its memory with it.
void forget_counted(CUcontext context);
// Bytes that the program has on the current context's device.
uint64_t counted_bytes();
// Changes the driver's answer to cuMemGetInfo to what the program may have; the pointers may be null.
void show_what_it_may_have(size_t* free, size_t* total);
// Tells the scheduler how much of the memory on the current context's device stays there.
void tell_of_counted();

}  // namespace xsched::cuda
