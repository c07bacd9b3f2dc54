// The number of bytes of a copy, as far as its call tells (column "copy" of api/opencl.json). Tools show it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "platform/opencl/shim/entry_points.h"

namespace xsched::opencl {
namespace copy_bytes {

template <typename T>
void note(T value, uint64_t& size, const size_t*& region) {
    if constexpr (std::is_same_v<T, size_t>) size = value;
    if constexpr (std::is_same_v<T, const size_t*>) region = value;
}

}  // namespace copy_bytes

// Returns 0 if the call does not say it in bytes (images).
template <CopyBytes kBytes, typename... Arguments>
uint64_t bytes_of_copy(const std::tuple<Arguments...>& all) {
    if constexpr (kBytes == CopyBytes::kUntold) return 0;
    uint64_t size = 0;
    const size_t* region = nullptr;
    std::apply([&](auto... arguments) { (copy_bytes::note(arguments, size, region), ...); }, all);
    if constexpr (kBytes == CopyBytes::kRegion)
        return region != nullptr ? uint64_t{region[0]} * region[1] * region[2] : 0;
    return size;
}

}  // namespace xsched::opencl
