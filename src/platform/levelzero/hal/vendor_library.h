// The process's way to the vendor's Level Zero. Any thread.
#pragma once

#include "platform/levelzero/hal/api.h"

namespace xsched::levelzero {

// Returns the functions that the shim has passed; nullptr: it has passed none.
const ZeApi* vendor_api();
// Returns a function that the loader exports beside its interface; nullptr: it has none of that name.
void* loader_function(const char* name);

}  // namespace xsched::levelzero
