// Tells from a call's arguments how many bytes it copies, if they tell. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "platform/stream/shim/entry_points.h"

namespace xsched::stream {

// Collects the sizes among a call's arguments in order. Sizes of CUDA 3 and older are narrower, and stay unknown.
struct Sizes {
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t before_last = 0;
    unsigned count = 0;

    template <typename T>
    void note(T value) {
        if constexpr (std::is_same_v<T, size_t>) {
            before_last = last;
            last = value;
            if (count++ == 0) first = value;
        }
    }
};

// Returns how many bytes the call copies; 0: the number is in a structure, or the call copies several ranges.
template <EntryPoint kEntry, typename... Arguments>
uint64_t bytes_of_copy(Arguments... arguments) {
    constexpr CopyBytes kBytes = kTraits<kEntry>.copy;
    if constexpr (kBytes == CopyBytes::kUntold) return 0;
    Sizes sizes;
    (sizes.note(arguments), ...);
    if constexpr (kBytes == CopyBytes::kRows) return sizes.before_last * sizes.last;
    if constexpr (kBytes == CopyBytes::kFirst) return sizes.first;
    return sizes.last;
}

}  // namespace xsched::stream
