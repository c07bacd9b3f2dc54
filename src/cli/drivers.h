// Tells whether the driver that a shim wraps is on this machine, where a program started now would find it. Only looks
// at files; loads nothing.
#pragma once

#include "cli/platforms.h"

namespace xsched::cli {

// Returns whether the platform's driver is on this machine. Logs a line if the user should know why the platform is
// left out.
bool driver_is_there(const PlatformInfo& driver);
// Returns whether the platform may have a device here: the kernel's driver made a node for it, a variable names the
// platform's library, or devices of the platform have no node by which they are known.
bool may_have_device(const PlatformInfo& driver);

}  // namespace xsched::cli
