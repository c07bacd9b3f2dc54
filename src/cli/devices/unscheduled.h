// Finds the work that XSched does not schedule on this machine: on devices without an interface that it knows, of
// programs that were started without it, and through interfaces that it cannot see. One thread.
#pragma once

#include <string>

#include "cli/devices/device_users.h"
#include "cli/doctor/machine.h"
#include "cli/installation.h"

namespace xsched::cli {

// Returns a sentence for each device that nothing schedules.
std::vector<std::string> unscheduled_devices(const Machine& machine);

// Returns a sentence that names these programs and says what to do; empty: there are none.
std::string unscheduled_programs(const std::vector<DeviceUser>& users);

// Returns a sentence if the program is linked to an interface of which XSched sees nothing: OpenGL, or Vulkan where the
// installation lacks the layer. `file`: the program's ELF file. Empty: there is no such interface.
std::string unseen_interface(const std::string& file, const Installation& installation);

}  // namespace xsched::cli
