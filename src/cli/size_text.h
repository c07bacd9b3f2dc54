// Sizes of memory as people read them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_size.h"

namespace xsched::cli {

using base::size_text;

// Returns at most five characters for a table: "512M", "1.5G", "140G"; "-" for nothing.
std::string short_size(uint64_t bytes);

}  // namespace xsched::cli
