// hipGetLastError and its like: what they tell is what the program's own calls left (platform/hip/hal/last_error.h).
#pragma once

#include "platform/hip/hal/hal_abi.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::hip {

template <stream::EntryPoint kEntry>
hipError_t last_error() {
    const hipError_t code = stream::driver<kEntry>()();
    const hipError_t hidden = xhip_hidden_error(!stream::kTraits<kEntry>.peeks);
    return code != hipSuccess ? code : hidden;
}

}  // namespace xsched::hip
