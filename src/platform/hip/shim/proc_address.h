// Functions asked for by name, answered with our hooks: hipGetProcAddress and hipGetDriverEntryPoint, in both forms.
//
// Which function a version and flags select is the runtime's business: it is asked, and its answer replaced where the
// name is one that we handle. Names that it maps to others (hipGetDeviceProperties) are not among those.
#pragma once

#include "platform/hip/hal/api.h"

namespace xsched::hip {

hipError_t get_proc_address(const char* symbol, void** address, int version, uint64_t flags, int* status);
hipError_t get_proc_address_spt(const char* symbol, void** address, int version, uint64_t flags, int* status);
hipError_t get_entry_point(const char* symbol, void** address, unsigned long long flags, int* status);
hipError_t get_entry_point_spt(const char* symbol, void** address, unsigned long long flags, int* status);

}  // namespace xsched::hip
