// HIP's own questions about memory, and peer access by a context (platform/stream/shim/memory/evictable.h). On the
// caller's thread.
#pragma once

#include "platform/stream/shim/memory/evictable.h"
#include "platform/stream/shim/memory/program_memory.h"

namespace xsched::hip {

template <stream::EntryPoint kEntry>
hipError_t ask_memory_size(void* memory, size_t* bytes) {
    if (bytes != nullptr && stream::memory::has_ranges() &&
        stream::memory::range_of_evictable(nullptr, bytes, stream::address_in(memory)))
        return hipSuccess;
    return stream::memory::ask_of_memory<kEntry>(memory, bytes);
}

// The hook of peer access by a context. The runtime does not tell to which device the context belongs, so from then on
// all memory of the program stays in place.
template <stream::EntryPoint kEntry>
hipError_t enable_context_access(hipCtx_t context, unsigned flags) {
    const hipError_t code = stream::driver<kEntry>()(context, flags);
    if (code != hipSuccess || !stream::memory_moves()) return code;
    stream::DeviceUse use;  // all of it is on the card
    stream::memory::keep_memory_in_place("another GPU may use it");
    use.leave();
    return code;
}

}  // namespace xsched::hip
