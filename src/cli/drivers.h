// Whether the driver that a shim stands before is on this machine, where a program started now would find it. Nothing
// is loaded for it: the files are looked at alone.
#pragma once

#include "cli/platforms.h"

namespace xsched::cli {

// With a line in the log where the user should know why the platform is left out.
bool driver_is_there(const PlatformInfo& driver);

}  // namespace xsched::cli
