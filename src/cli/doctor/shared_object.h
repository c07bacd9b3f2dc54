// Reads the names of exported functions from a shared library's file. The file is not trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsched::cli {

// Returns the names of the functions that a shared library exports, without versions, sorted, each once. Returns
// nullopt if the file is no 64-bit ELF file with a table of them.
std::optional<std::vector<std::string>> exported_functions(const std::string& path);

}  // namespace xsched::cli
