// An address as the interfaces pass it: a pointer, or a number.
#pragma once

#include <cstdint>
#include <type_traits>

namespace xsched::stream {

template <typename T>
uintptr_t address_in(T value) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<uintptr_t>(value);
    else
        return static_cast<uintptr_t>(value);
}

}  // namespace xsched::stream
