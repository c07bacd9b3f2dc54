// Sizes of memory as people read them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_size.h"

namespace xsched::cli {

using base::size_text;

// Returns the remark that a bare number means bytes, if these are so few that another unit may be meant:
// "--memory-limit 20 means 20 bytes: say 20GiB or 20MiB". Otherwise nothing. `before`: what stands before the number.
std::string few_bytes(const std::string& before, const std::string& number);
// Returns at most five characters for a table: "512M", "1.5G", "140G"; "-" for nothing.
std::string short_size(uint64_t bytes);

}  // namespace xsched::cli
