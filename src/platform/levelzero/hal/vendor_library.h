// The process's way to the vendor's Level Zero. Any thread.
#pragma once

#include "platform/levelzero/hal/api.h"

namespace xsched::levelzero {

// Returns the functions that the shim has passed; nullptr: it has passed none.
const ZeApi* vendor_api();

}  // namespace xsched::levelzero
