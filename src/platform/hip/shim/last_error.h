// hipGetLastError and its like: what they tell is what the program's own calls left (platform/hip/hal/last_error.h).
#pragma once

#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::hip {

constexpr bool takes_error(std::string_view name) { return name.find("Peek") == std::string_view::npos; }

template <stream::EntryPoint kEntry>
hipError_t last_error() {
    const hipError_t code = stream::driver<kEntry>()();
    const hipError_t hidden = xhip_hidden_error(takes_error(stream::Declared<kEntry>::kName));
    return code != hipSuccess ? code : hidden;
}

}  // namespace xsched::hip
