// A copy of this installation in a folder of the node, for a driver in a container: CDI files name libraries by their
// paths on the node. Any thread.
#pragma once

#include <string>

namespace xsched::kubernetes {

// Copies xcli and the libraries that it gives to programs from the prefix into FOLDER/VERSION, unless they are there.
// Returns that folder. Running containers keep the version that they have. Throws std::filesystem::filesystem_error.
std::string copy_to_host(const std::string& prefix, const std::string& folder, const std::string& version);

// Returns the prefix of this program: "/usr" for /usr/bin/xsched-kubernetes.
std::string own_prefix();

}  // namespace xsched::kubernetes
