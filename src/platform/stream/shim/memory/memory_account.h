// Counts the memory of each device that the program has by calls of its own, and holds it to the program's limit
// (XSCHED_MEMORY_LIMIT, docs/memory.md). Any thread. No lock is held while the driver is called.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/no_copies.h"
#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

// The name of an allocation: an address, or a handle of the driver's.
struct MemoryName {
    enum class Kind : uint8_t { kAddress, kArray, kMipmap, kPhysical };
    uint64_t number;
    Kind kind;

    template <typename Made>
    MemoryName(Made made) : number(address_in(made)), kind(kind_of<Made>()) {}
    // Names memory by its handle. Needed besides the constructor, since in some drivers handles and addresses have one
    // type.
    template <typename Made>
    static MemoryName of_handle(Made handle) {
        MemoryName name(handle);
        name.kind = Kind::kPhysical;
        return name;
    }
    bool operator==(const MemoryName&) const = default;

private:
    template <typename Made>
    static constexpr Kind kind_of() {
        return std::is_same_v<Made, Array>    ? Kind::kArray
               : std::is_same_v<Made, Mipmap> ? Kind::kMipmap
                                              : Kind::kAddress;
    }
};

// The place of one allocation, from before the driver's call on. It is given back at the end, unless it is kept.
class Room : base::NoCopies {
public:
    // Reserves the bytes in the account of a device; -1: of the current context's device.
    explicit Room(size_t bytes, Device device = -1);
    ~Room();
    // Returns false if the program would have more than it may. One line has said so.
    bool enough() const { return enough_; }
    void keep(const MemoryName& memory);

private:
    const size_t bytes_;
    Context context_ = nullptr;  // whose end is the memory's; nullptr: none
    Device device_ = -1;  // -1: nothing is counted
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
void forget_counted(Context context);
// Returns how many bytes the program has on the current context's device.
uint64_t counted_bytes();
// Changes the driver's answer to cuMemGetInfo to what the program may have; the pointers may be null.
void show_what_it_may_have(size_t* free, size_t* total);
// Changes the driver's answer to cuDeviceTotalMem to what the program may have at most.
void show_whole_of_what_it_may_have(size_t* total);
// Tells the scheduler how much of the memory on the current context's device stays there.
void tell_of_counted();

}  // namespace xsched::stream::memory
