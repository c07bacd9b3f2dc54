// Hooks of the calls by which a program makes and maps physical memory itself (cuMemCreate, cuMemMap): PyTorch's
// expandable segments, vLLM's sleep mode, JAX. The memory of an evictable program moves as memory of cuMemAlloc does
// (evictable.h). The program has handles of ours for it (physical.h), and the driver never sees one. All other handles
// are the driver's, and their calls pass unchanged. Any thread. No lock is held while the driver is called.
#pragma once

#include "base/no_copies.h"
#include "platform/cuda/shim/counted_mappings.h"
#include "platform/cuda/shim/evictable.h"
#include "platform/cuda/shim/mapping_table.h"
#include "platform/cuda/shim/platform.h"
#include "platform/cuda/shim/spare_memory.h"

namespace xsched::cuda {

// Creates movable memory in place of the driver's cuMemCreate, whose result is stored in `code`. Returns false if the
// caller must make the driver's call instead.
bool create_movable(CUmemGenericAllocationHandle* handle, size_t bytes, const void* wanted, unsigned long long flags,
                    CUresult* code);
// Make the driver's calls of these names for handles of ours, or for addresses behind which memory of ours may be.
CUresult release_movable(CUmemGenericAllocationHandle handle);
CUresult map_movable(CUdeviceptr begin, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                     unsigned long long flags);
CUresult unmap_movable(CUdeviceptr begin, size_t bytes);
CUresult open_movable(CUdeviceptr begin, size_t bytes, const void* access, size_t count);
// Answers cuMemRetainAllocationHandle. Returns false if no memory of ours is there.
bool retain_movable(CUmemGenericAllocationHandle* handle, CUdeviceptr address);
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
    CUmemGenericAllocationHandle handle() const;

private:
    stream::DeviceUse use_;
    Physical* const memory_;
};

template <stream::EntryPoint kEntry>
CUresult create_physical(CUmemGenericAllocationHandle* handle, size_t bytes, const void* wanted,
                         unsigned long long flags) {
    if (CUresult code = CUDA_SUCCESS; may_move_new_memory(bytes) && create_movable(handle, bytes, wanted, flags, &code))
        return code;
    return AllocatesElse<kEntry>::call(handle, bytes, wanted, flags);
}

template <stream::EntryPoint kEntry>
CUresult release_physical(CUmemGenericAllocationHandle handle) {
    return is_ours(handle) ? release_movable(handle) : ReleasesElse<kEntry>::call(handle);
}

template <stream::EntryPoint kEntry>
CUresult map_memory(CUdeviceptr begin, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                    unsigned long long flags) {
    if (is_ours(handle)) return map_movable(begin, bytes, offset, handle, flags);
    NewMapping mapping(begin, bytes, handle);
    const CUresult code = stream::driver<kEntry>()(begin, bytes, offset, handle, flags);
    if (code == CUDA_SUCCESS) mapping.keep();
    return code;
}

template <stream::EntryPoint kEntry>
CUresult unmap_memory(CUdeviceptr begin, size_t bytes) {
    EndingMappings ending(begin, bytes);
    const CUresult code =
        stream::memory_moves() ? unmap_movable(begin, bytes) : stream::Traced<kEntry>::call(begin, bytes);
    if (code != CUDA_SUCCESS) ending.stay();
    return code;
}

template <stream::EntryPoint kEntry>
CUresult open_memory(CUdeviceptr begin, size_t bytes, const void* access, size_t count) {
    if (stream::memory_moves()) return open_movable(begin, bytes, access, count);
    return stream::driver<kEntry>()(begin, bytes, access, count);
}

// Hooks cuMemRetainAllocationHandle. Movable memory of cuMemAlloc is refused, as natively: the program must not see
// that it is made of pieces with handles.
template <stream::EntryPoint kEntry>
CUresult retain_handle(CUmemGenericAllocationHandle* handle, void* address) {
    const auto memory = reinterpret_cast<CUdeviceptr>(address);
    if (stream::memory_moves()) {
        if (range_of_evictable(nullptr, nullptr, memory)) return CUDA_ERROR_INVALID_VALUE;
        if (handle != nullptr && retain_movable(handle, memory)) return CUDA_SUCCESS;
    }
    const CUresult code = stream::driver<kEntry>()(handle, address);
    if (code == CUDA_SUCCESS) add_use(MemoryName::of_handle(*handle));
    return code;
}

// Hooks of calls with a handle that may be ours, among arguments that cannot be mistaken for one.
template <stream::EntryPoint kEntry, bool kTellsOthers, typename Function = typename stream::Declared<kEntry>::Type>
struct UsesPhysical;
template <stream::EntryPoint kEntry, bool kTellsOthers, typename... Arguments>
struct UsesPhysical<kEntry, kTellsOthers, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        const unsigned long long ours = first_of_ours(arguments...);
        if (ours == 0) [[likely]]
            return stream::driver<kEntry>()(arguments...);
        const PhysicalUse use(ours, kTellsOthers ? stream::Declared<kEntry>::kName : nullptr);
        if (!use.good()) return CUDA_ERROR_INVALID_VALUE;
        return stream::driver<kEntry>()(translated(arguments, use.handle())...);
    }

private:
    static unsigned long long first_of_ours() { return 0; }
    template <typename First, typename... Rest>
    static unsigned long long first_of_ours(First first, Rest... rest) {
        if constexpr (std::is_same_v<First, CUmemGenericAllocationHandle>)
            if (is_ours(first)) return first;
        return first_of_ours(rest...);
    }
    template <typename Argument>
    static Argument translated(Argument argument, [[maybe_unused]] CUmemGenericAllocationHandle handle) {
        if constexpr (std::is_same_v<Argument, CUmemGenericAllocationHandle>)
            return is_ours(argument) ? handle : argument;
        else
            return argument;
    }
};

// Hooks of questions about addresses, which the driver can answer only while memory is behind them.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct AsksOfMemory;
template <stream::EntryPoint kEntry, typename... Arguments>
struct AsksOfMemory<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) { return ask_of_memory<kEntry>(arguments...); }
};

// Hooks of calls that give the program memory which is not movable, and is another process's. If the driver knows the
// memory as the program's own, its handle is one more use.
template <stream::EntryPoint kEntry, typename Function = typename stream::Declared<kEntry>::Type>
struct GivesOther;
template <stream::EntryPoint kEntry, typename... Arguments>
struct GivesOther<kEntry, CUresult (*)(Arguments...)> {
    static CUresult call(Arguments... arguments) {
        const CUresult code = stream::driver<kEntry>()(arguments...);
        if (code == CUDA_SUCCESS) add_use(MemoryName::of_handle(*first_of(arguments...)));
        note_that_it_stays<kEntry>(code);
        return code;
    }
};

}  // namespace xsched::cuda
