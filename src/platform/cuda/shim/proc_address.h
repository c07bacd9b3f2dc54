// cuGetProcAddress answered with our hooks.
//
// Which function a version and flags select is the driver's business: it is asked, and the address it gives is compared
// with those of the symbols we know. Anything else, of a newer driver, is handed on as it is.
#pragma once

#include "platform/stream/shim/entry_points.h"

namespace xsched::cuda {

using stream::EntryPoint;

// Puts our hook in the place of the driver's function.
void replace_address(const char* symbol, void** address);

template <EntryPoint kEntry, typename... Rest>
CUresult get_proc_address(const char* symbol, void** address, Rest... rest) {
    const CUresult code = stream::driver<kEntry>()(symbol, address, rest...);
    if (code == CUDA_SUCCESS) replace_address(symbol, address);
    return code;
}

}  // namespace xsched::cuda
