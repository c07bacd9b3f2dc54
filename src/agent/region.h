// Mapped Regions: private ones and those shared with a server. Never unmapped: a thread may still hold a pointer into
// one it is just leaving, and only the touched pages cost memory.
#pragma once

#include "ipc/layout.h"

namespace xsched::agent {

// Null if the system has no memory.
ipc::Region* map_private_region();

}  // namespace xsched::agent
