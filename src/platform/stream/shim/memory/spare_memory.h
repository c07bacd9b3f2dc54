// Keeps device memory that the program has freed and may want again soon. The driver frees memory only while its
// context is idle. If a program that has victims allocates and frees in each of its requests, that costs it the device
// each time. No keep-alive may stand then (queue/alive/keep_alive.h), so the hardware switches to a victim and back
// (docs/decisions/013). So while this process has victims and keeps the device from them, freed memory stays allocated,
// up to XSCHED_DEBUG's spare_memory bytes. The next allocation of that size gets it.
//
// The program sees no difference. Memory is kept only when all of the program's work is complete, so no wait is lost,
// and its contents are undefined anyway. It counts as free. It is given back when memory runs out and with its context.
// It is also given back when the process has no more victims and frees or allocates, unless it would have to wait for
// its work then. Nothing is kept for a process that may have shared memory with others, since they would see later
// contents.
//
// Hooks are on the caller's thread; any thread. No lock is held while the driver is called.
#pragma once

#include <utility>

#include "platform/stream/shim/capture.h"
#include "platform/stream/shim/keep_errno.h"
#include "platform/stream/shim/launch.h"
#include "platform/stream/shim/memory/allocation_size.h"
#include "platform/stream/shim/memory/evictable.h"
#include "platform/stream/shim/memory/memory_account.h"
#include "platform/stream/shim/memory/pool_memory.h"
#include "platform/stream/shim/memory/program_memory.h"
#include "platform/stream/shim/memory/vendor_call.h"
#include "platform/stream/shim/trace.h"

namespace xsched::stream::memory {

// Returns a spare of exactly that size in the current context. False: there is none, or none may be used now.
bool take_spare(Address* memory, size_t bytes);
// Keeps memory instead of freeing it. Returns false if it must be freed: only memory known by note_allocated is kept.
bool keep_spare(Address memory);
void note_allocated(Address memory, size_t bytes);
// Gives all spares back to the driver. Returns false if there were none.
bool give_spares_back();
// Gives spares back if there are no victims any more, unless that would have to wait.
void give_needless_spares_back();
uint64_t spare_bytes();
// Forgets the context's spares, before the driver destroys it with them.
void forget_spares(Context context);
// Keeps no spares from now on.
void keep_no_spares();

// Calls the driver, once more after spares were given back, and again as long as less urgent programs make room.
template <EntryPoint kEntry, typename... Arguments>
Result allocate_somehow(size_t bytes, Arguments... arguments) {
    Result code = Traced<kEntry>::call(arguments...);
    if (code == kOutOfMemory && give_spares_back()) code = Traced<kEntry>::call(arguments...);
    for (int i = 0; i < kMostTries && code == kOutOfMemory && ask_for_memory(bytes, i); ++i)
        code = Traced<kEntry>::call(arguments...);
    return code;
}

template <EntryPoint kEntry>
Result allocate_counted(DevicePtr* memory, size_t bytes) {
    Address made = 0;
    if (Result code = kSuccess;
        memory != nullptr && may_move_new_memory(bytes) && allocate_evictable(&made, bytes, &code)) {
        if (code == kSuccess) *memory = pointer_to(made);
        return code;
    }
    {
        const KeepErrno keep;
        give_needless_spares_back();
        if (memory != nullptr && take_spare(&made, bytes)) {
            *memory = pointer_to(made);
            return kSuccess;
        }
    }
    const Result code = allocate_somehow<kEntry>(bytes, memory, bytes);
    if (code == kSuccess) {
        const KeepErrno keep;
        note_allocated(address_in(*memory), bytes);
    }
    return code;
}

template <EntryPoint kEntry>
Result allocate(DevicePtr* memory, size_t bytes) {
    Room room(bytes);
    if (!room.enough()) return kOutOfMemory;
    const Result code = allocate_counted<kEntry>(memory, bytes);
    if (code == kSuccess) room.keep(*memory);
    return code;
}

template <EntryPoint kEntry>
Result release_counted(DevicePtr memory) {
    if (Result code = kSuccess; memory_moves() && release_evictable(address_in(memory), &code)) return code;
    {
        const KeepErrno keep;
        give_needless_spares_back();
        if (keep_spare(address_in(memory))) return kSuccess;
    }
    return Traced<kEntry>::call(memory);
}

template <EntryPoint kEntry>
Result release(DevicePtr memory) {
    Leaving leaving(memory);
    const Result code = release_counted<kEntry>(memory);
    if (code != kSuccess) leaving.stays();
    return code;
}

// Returns the name under which memory is counted. Handles and addresses may have one type, so the entry point tells
// which of the two `made` is. Allocations of rows return a pointer with its pitch.
template <EntryPoint kEntry, typename Made>
MemoryName memory_name(Made made) {
    if constexpr (kEntry == kMemCreate || kEntry == kMemRelease)
        return MemoryName::of_handle(made);
    else if constexpr (requires { made.pitch; })
        return made.ptr;
    else
        return made;
}
template <typename First, typename... Rest>
First first_of(First first, Rest...) {
    return first;
}
template <typename Last>
Last last_of(Last last) {
    return last;
}
template <typename First, typename... Rest>
auto last_of(First, Rest... rest) {
    return last_of(rest...);
}

// Hooks of allocations of other kinds, whose memory is not kept.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct AllocatesElse;
template <EntryPoint kEntry, typename... Arguments>
struct AllocatesElse<kEntry, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        const AllocationSize size = size_of<kEntry>(arguments...);
        Room room(size.bytes, size.device);
        if (!room.enough()) return kOutOfMemory;
        const Result code = allocate_somehow<kEntry>(size.bytes, arguments...);
        if (code == kSuccess) room.keep(memory_name<kEntry>(*first_of(arguments...)));
        note_that_it_stays<kEntry>(code);
        return code;
    }
};

// Hooks of the calls that free memory of the kinds that are never kept.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct ReleasesElse;
template <EntryPoint kEntry, typename Memory>
struct ReleasesElse<kEntry, Result (*)(Memory)> {
    static Result call(Memory memory) {
        Leaving leaving(memory_name<kEntry>(memory));
        const Result code = Traced<kEntry>::call(memory);
        if (code != kSuccess) leaving.stays();
        return code;
    }
};

// Hooks of allocations in stream order.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct AllocatesInOrder;
template <EntryPoint kEntry, typename... Arguments>
struct AllocatesInOrder<kEntry, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        const size_t bytes = size_of<kEntry>(arguments...).bytes;
        // Memory of a captured call is allocated where the graph runs, if at all.
        const bool captured = capturing(last_of(arguments...), Declared<kEntry>::kPerThread);
        Room room(captured ? 0 : bytes);
        if (!room.enough()) return kOutOfMemory;
        Result code = kSuccess;
        if (captured || !allocate_ours(code, arguments...)) code = allocate_drivers(bytes, arguments...);
        if (code == kSuccess) room.keep(*first_of(arguments...));
        return code;
    }

private:
    static bool allocate_ours(Result& code, DevicePtr* memory, size_t bytes, Stream to) {
        return allocate_in(code, memory, bytes, nullptr, to);
    }
    static bool allocate_ours(Result& code, DevicePtr* memory, size_t bytes, Pool pool, Stream to) {
        return pool != nullptr && allocate_in(code, memory, bytes, pool, to);
    }
    // `pool`: nullptr: the device's current one.
    static bool allocate_in(Result& code, DevicePtr* memory, size_t bytes, Pool pool, Stream to) {
        Address made = 0;
        if (memory == nullptr || !allocate_block(&made, bytes, pool, {to, Declared<kEntry>::kPerThread}, &code))
            return false;
        if (code == kSuccess) *memory = pointer_to(made);
        return true;
    }
    static Result allocate_drivers(size_t bytes, Arguments... arguments) {
        Result code = Scheduled<kEntry>::call(arguments...);
        for (int i = 0; i < kMostTries && code == kOutOfMemory && ask_for_memory(bytes, i); ++i)
            code = Scheduled<kEntry>::call(arguments...);
        if (bytes >= kGranularity) note_that_it_stays<kEntry>(code);
        return code;
    }
};

// Hooks cuMemFreeAsync, which natively also frees memory of cuMemAlloc.
template <EntryPoint kEntry>
Result release_in_order(DevicePtr memory, Stream stream) {
    Leaving leaving(memory);
    Result code = kSuccess;
    constexpr bool kPerThread = Declared<kEntry>::kPerThread;
    const bool ours = memory_moves() && !capturing(stream, kPerThread) &&
                      (release_block(address_in(memory), {stream, kPerThread}, &code) ||
                       release_evictable(address_in(memory), &code));
    if (!ours) code = Scheduled<kEntry>::call(memory, stream);
    if (code != kSuccess) leaving.stays();
    return code;
}

template <EntryPoint kEntry>
Result ask_free_memory(size_t* free, size_t* total) {
    const Result code = driver<kEntry>()(free, total);
    if (code == kSuccess && free != nullptr) *free += spare_bytes();
    if (code == kSuccess) show_what_it_may_have(free, total);
    return code;
}

template <EntryPoint kEntry>
Result ask_total_memory(size_t* total, Device device) {
    const Result code = driver<kEntry>()(total, device);
    if (code == kSuccess && total != nullptr) show_whole_of_what_it_may_have(total);
    return code;
}

// Hooks of calls by which other processes may get to know this process's memory.
template <EntryPoint kEntry, typename Function = typename Declared<kEntry>::Type>
struct ShowsMemory;
template <EntryPoint kEntry, typename... Arguments>
struct ShowsMemory<kEntry, Result (*)(Arguments...)> {
    static Result call(Arguments... arguments) {
        {
            const KeepErrno keep;
            keep_no_spares();
        }
        keep_arguments_in_place<kEntry>(arguments...);
        return driver<kEntry>()(arguments...);
    }
};

template <EntryPoint kEntry>
Result share_memory(IpcName* name, DevicePtr address) {
    if (memory_moves() && name_evictable(name, address_in(address))) return kSuccess;
    const Result code = ShowsMemory<kEntry>::call(name, address);
    if (code != kSuccess && memory_moves()) stay_to_be_shared(address_in(address));
    return code;
}

template <EntryPoint kEntry>
Result set_attribute(const void* value, int attribute, DevicePtr address) {
    const Result code = ShowsMemory<kEntry>::call(value, attribute, address);
    return code == kNotSupported && memory_moves() && wait_for_copies(value, attribute, address_in(address)) ? kSuccess
                                                                                                             : code;
}

}  // namespace xsched::stream::memory
