// Whether the driver that a shim stands before is on this machine, where a program started now would find it. Nothing
// is loaded for it: the files are looked at alone.
#pragma once

#include <string>

namespace xsched::cli {

// `shim`: a shim's path or file name. With a line in the log where the user should know why it is left out.
bool driver_is_there(const std::string& shim);

}  // namespace xsched::cli
