// Answers cuGetProcAddress with our hooks.
//
// The driver decides which function a version and flags select. The address that it returns is compared with those of
// the symbols we know. Any other address, of a newer driver, is passed on unchanged.
#pragma once

#include "platform/stream/shim/entry_points.h"

namespace xsched::cuda {

using stream::EntryPoint;

// Replaces the driver's function by our hook.
void replace_address(const char* symbol, void** address);

template <EntryPoint kEntry, typename... Rest>
CUresult get_proc_address(const char* symbol, void** address, Rest... rest) {
    const CUresult code = stream::driver<kEntry>()(symbol, address, rest...);
    if (code == CUDA_SUCCESS) replace_address(symbol, address);
    return code;
}

}  // namespace xsched::cuda
