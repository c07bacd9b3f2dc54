// The programs of `xcli run` that have used no device. Front thread.
#pragma once

#include "server/tools/tool_commands.h"

namespace xsched::server {

// Returns the programs of `xcli run` that have used no device so far, and whose children have not either; also other
// processes that will be suspended from their first launch on.
Json not_connected(const Request& request);
// Returns the programs that ended without using a device, for the process that xcli run leaves behind to report it.
Json ended_unused(const Request& request);

}  // namespace xsched::server
