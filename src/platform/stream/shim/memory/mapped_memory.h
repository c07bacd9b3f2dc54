// Hooks of the calls by which a program makes and maps physical memory itself (cuMemCreate, cuMemMap): PyTorch's
// expandable segments, vLLM's sleep mode, JAX. The memory of an evictable program moves as memory of cuMemAlloc does
// (evictable.h). The program has handles of ours for it (physical.h), and the driver never sees one. All other handles
// are the driver's, and their calls pass unchanged. Any thread. No lock is held while the driver is called.
#pragma once

#include "base/no_copies.h"
#include "platform/stream/shim/memory/counted_mappings.h"
#include "platform/stream/shim/memory/evictable.h"
#include "platform/stream/shim/memory/mapping_table.h"
#include "platform/stream/shim/memory/spare_memory.h"
#include "platform/stream/shim/memory/vendor_call.h"

namespace xsched::stream::memory {

// Creates movable memory in place of the driver's cuMemCreate, whose result is stored in `code`. Returns false if the
// caller must make the driver's call instead.
bool create_movable(Handle* handle, size_t bytes, const void* wanted, unsigned long long flags, Result* code);
// Make the driver's calls of these names for handles of ours, or for addresses behind which memory of ours may be.
Result release_movable(Handle handle);
Result map_movable(Address begin, size_t bytes, size_t offset, Handle handle, unsigned long long flags);
Result unmap_movable(Address begin, size_t bytes);
Result open_movable(Address begin, size_t bytes, const void* access, size_t count);
// Answers cuMemRetainAllocationHandle. Returns false if no memory of ours is there.
bool retain_movable(Handle* handle, Address address);
// One call's use of a handle of ours: translates it to the driver's handle, and keeps the memory on the device during
// the call. `tells_others`: the name of a call that hands the memory to others, so that it stays there for good;
// nullptr: the call does not.
class PhysicalUse : base::NoCopies {
public:
    PhysicalUse(unsigned long long handle, const char* tells_others);
    ~PhysicalUse();
    // Returns false if the program has released the handle.
    bool good() const { return memory_ != nullptr; }
    Physical* memory() const { return memory_; }
    Handle handle() const;

private:
    DeviceUse use_;
    Physical* const memory_;
};

template <EntryPoint kEntry>
Result create_physical(PhysicalHandle* handle, size_t bytes, const void* wanted, unsigned long long flags) {
    if (Handle made = 0; handle != nullptr && may_move_new_memory(bytes)) {
        Result code = kSuccess;
        if (create_movable(&made, bytes, wanted, flags, &code)) {
            if (code == kSuccess) *handle = as_vendors<PhysicalHandle>(made);
            return code;
        }
    }
    return AllocatesElse<kEntry>::call(handle, bytes, wanted, flags);
}

template <EntryPoint kEntry>
Result release_physical(PhysicalHandle handle) {
    return is_ours(address_in(handle)) ? release_movable(address_in(handle)) : ReleasesElse<kEntry>::call(handle);
}

template <EntryPoint kEntry>
Result map_memory(DevicePtr begin, size_t bytes, size_t offset, PhysicalHandle handle, unsigned long long flags) {
    if (is_ours(address_in(handle))) return map_movable(address_in(begin), bytes, offset, address_in(handle), flags);
    NewMapping mapping(address_in(begin), bytes, address_in(handle));
    const Result code = driver<kEntry>()(begin, bytes, offset, handle, flags);
    if (code == kSuccess) mapping.keep();
    return code;
}

template <EntryPoint kEntry>
Result unmap_memory(DevicePtr begin, size_t bytes) {
    EndingMappings ending(address_in(begin), bytes);
    const Result code = memory_moves() ? unmap_movable(address_in(begin), bytes) : Traced<kEntry>::call(begin, bytes);
    if (code != kSuccess) ending.stay();
    return code;
}

template <EntryPoint kEntry>
Result open_memory(DevicePtr begin, size_t bytes, const void* access, size_t count) {
    if (memory_moves()) return open_movable(address_in(begin), bytes, access, count);
    return driver<kEntry>()(begin, bytes, access, count);
}

// Hooks cuMemRetainAllocationHandle. Movable memory of cuMemAlloc is refused, as natively: the program must not see
// that it is made of pieces with handles.
template <EntryPoint kEntry>
Result retain_handle(PhysicalHandle* handle, void* address) {
    if (memory_moves()) {
        if (range_of_evictable(nullptr, nullptr, address_in(address))) return kInvalidValue;
        if (Handle found = 0; handle != nullptr && retain_movable(&found, address_in(address))) {
            *handle = as_vendors<PhysicalHandle>(found);
            return kSuccess;
        }
    }
    const Result code = driver<kEntry>()(handle, address);
    if (code == kSuccess) add_use(MemoryName::of_handle(*handle));
    return code;
}

// Hooks of calls with a handle that may be ours, among arguments that cannot be mistaken for one.
template <EntryPoint kEntry, bool kTellsOthers, typename Function = typename Declared<kEntry>::Type>
struct UsesPhysical;
template <EntryPoint kEntry, bool kTellsOthers, typename... Arguments>
struct UsesPhysical<kEntry, kTellsOthers, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        const Handle ours = first_of_ours(arguments...);
        if (ours == 0) [[likely]]
            return driver<kEntry>()(arguments...);
        const PhysicalUse use(ours, kTellsOthers ? Declared<kEntry>::kName : nullptr);
        if (!use.good()) return kInvalidValue;
        return driver<kEntry>()(translated(arguments, use.handle())...);
    }

private:
    static Handle first_of_ours() { return 0; }
    template <typename First, typename... Rest>
    static Handle first_of_ours(First first, Rest... rest) {
        if constexpr (std::is_same_v<First, PhysicalHandle>)
            if (is_ours(address_in(first))) return address_in(first);
        return first_of_ours(rest...);
    }
    template <typename Argument>
    static Argument translated(Argument argument, [[maybe_unused]] Handle handle) {
        if constexpr (std::is_same_v<Argument, PhysicalHandle>)
            return is_ours(address_in(argument)) ? as_vendors<PhysicalHandle>(handle) : argument;
        else
            return argument;
    }
};

// Hooks of questions about addresses, which the driver can answer only while memory is behind them.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct AsksOfMemory;
template <EntryPoint kEntry, typename... Arguments>
struct AsksOfMemory<kEntry, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) { return ask_of_memory<kEntry>(arguments...); }
};

// Hooks of calls that give the program memory which is not movable, and is another process's. If the driver knows the
// memory as the program's own, its handle is one more use.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct GivesOther;
template <EntryPoint kEntry, typename... Arguments>
struct GivesOther<kEntry, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        const Result code = driver<kEntry>()(arguments...);
        if (code == kSuccess) add_use(MemoryName::of_handle(*first_of(arguments...)));
        note_that_it_stays<kEntry>(code);
        return code;
    }
};

}  // namespace xsched::stream::memory
