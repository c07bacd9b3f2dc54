// The functions of each platform's library that XSched knows: those of its table, generated at build time
// (tools/codegen/known_functions.py). Any thread.
#pragma once

#include <span>
#include <string_view>

namespace xsched::cli {

// Returns the names in alphabetical order; none if there is no such platform.
std::span<const char* const> known_functions(std::string_view platform);

}  // namespace xsched::cli
