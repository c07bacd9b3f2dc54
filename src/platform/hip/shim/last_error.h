// hipGetLastError and its like: what they tell is what the program's own calls left (platform/hip/hal/last_error.h).
#pragma once

#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/shim/entry_points.h"

namespace xsched::hip {

template <EntryPoint kEntry, bool kTakes>
hipError_t last_error() {
    const hipError_t code = driver<kEntry>()();
    const hipError_t hidden = xhip_hidden_error(kTakes);
    return code != hipSuccess ? code : hidden;
}

}  // namespace xsched::hip
