// Which commands are copies of memory, and of how many bytes: what people are told of them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "platform/opencl/shim/entry_points.h"

namespace xsched::opencl {

// Returns whether a function copies buffers, images or shared memory. Maps may copy, but do not tell.
consteval bool is_copy(std::string_view name) {
    for (const std::string_view verb : {"clEnqueueRead", "clEnqueueWrite", "clEnqueueCopy"})
        if (name.starts_with(verb)) return true;
    return name.starts_with("clEnqueueSVMMemcpy");
}

namespace copy_bytes {

template <typename T>
void note(T value, uint64_t& size, const size_t*& region) {
    if constexpr (std::is_same_v<T, size_t>) size = value;
    if constexpr (std::is_same_v<T, const size_t*>) region = value;
}

}  // namespace copy_bytes

// Returns the bytes of a call; 0: it does not tell them (images). The last size is that of a range, the last list that
// of a rectangle.
template <typename Callee, typename... Arguments>
uint64_t bytes_of_copy(const std::tuple<Arguments...>& all) {
    constexpr std::string_view kName = Callee::kName;
    if constexpr (kName.find("Image") != std::string_view::npos) return 0;
    uint64_t size = 0;
    const size_t* region = nullptr;
    std::apply([&](auto... arguments) { (copy_bytes::note(arguments, size, region), ...); }, all);
    if constexpr (kName.find("Rect") != std::string_view::npos)
        return region != nullptr ? uint64_t{region[0]} * region[1] * region[2] : 0;
    return size;
}

}  // namespace xsched::opencl
