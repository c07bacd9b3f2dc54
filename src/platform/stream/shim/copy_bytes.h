// Which commands are copies of memory, and of how many bytes: what people are told of them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "platform.h"

namespace xsched::stream {

consteval bool has_part(std::string_view name, std::string_view part) {
    return name.find(part) != std::string_view::npos;
}
consteval bool is_copy(std::string_view name) { return has_part(name, "Memcpy"); }

// The sizes among a call's arguments, in their order. Those of CUDA 3 and older are narrower, and stay unknown.
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

// 0: the call says it in a structure, or copies several ranges.
template <EntryPoint kEntry, typename... Arguments>
uint64_t bytes_of_copy(Arguments... arguments) {
    constexpr std::string_view kName = Declared<kEntry>::kName;
    if constexpr (has_part(kName, "Batch") || has_part(kName, "3D")) return 0;
    Sizes sizes;
    (sizes.note(arguments), ...);
    if constexpr (has_part(kName, "2D")) return sizes.before_last * sizes.last;  // width and height
    if constexpr (has_part(kName, "Symbol")) return sizes.first;                 // then the offset
    return sizes.last;
}

}  // namespace xsched::stream
