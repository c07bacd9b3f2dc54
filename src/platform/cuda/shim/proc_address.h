// cuGetProcAddress answered with our hooks.
//
// Which function a version and flags select is the driver's business: it is asked, and the address it gives is compared
// with those of the symbols we know. Anything else, of a newer driver, is handed on as it is.
#pragma once

#include "platform/cuda/hal/api.h"

namespace xsched::cuda {

// Learns the addresses of the driver's symbols. Once, before the first of the others.
void note_addresses();

CUresult get_proc_address(const char* symbol, void** address, int version, uint64_t flags);
CUresult get_proc_address_v2(const char* symbol, void** address, int version, uint64_t flags, int* status);

}  // namespace xsched::cuda
