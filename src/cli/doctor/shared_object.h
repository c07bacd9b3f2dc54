// Reads from a shared library's file the functions that it exports. The file may be any: nothing in it is believed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsched::cli {

// The functions, without versions, sorted, each once; none: it is no 64-bit ELF file that says so.
std::optional<std::vector<std::string>> exported_functions(const std::string& path);

}  // namespace xsched::cli
