// Functions asked for by name, answered with our hooks: hipGetProcAddress and hipGetDriverEntryPoint, in both forms.
//
// Which function a version and flags select is the runtime's business: it is asked, and its answer replaced where the
// name is one that we handle. Names that it maps to others (hipGetDeviceProperties) are not among those.
#pragma once

#include <type_traits>

#include "platform/stream/shim/entry_points.h"

namespace xsched::hip {

using stream::EntryPoint;

// Puts our hook in the place of the runtime's function. `per_thread`: NULL is to mean the thread's own stream, so of
// two forms the one with that suffix was meant.
void replace_address(const char* symbol, void** address, bool per_thread);

template <EntryPoint kEntry, typename... Rest>
hipError_t get_proc_address(const char* symbol, void** address, Rest... rest) {
    const hipError_t code = stream::driver<kEntry>()(symbol, address, rest...);
    bool per_thread = stream::Declared<kEntry>::kPerThread;
    [[maybe_unused]] const auto look = [&](auto value) {
        if constexpr (sizeof value == sizeof(uint64_t) && std::is_unsigned_v<decltype(value)>)  // the flags
            per_thread = per_thread || (value & hipEnablePerThreadDefaultStream) != 0;
    };
    (look(rest), ...);
    if (code == hipSuccess) replace_address(symbol, address, per_thread);
    return code;
}

}  // namespace xsched::hip
