// Reads a size as people write it: 20GiB, 512MiB, 1.5GB, 4096.
#pragma once

#include <string>

namespace xsched::cli {

// Returns it as a whole number of bytes (base/hints.def, kBytes). Other text is returned unchanged.
std::string read_byte_size(const std::string& text);

}  // namespace xsched::cli
