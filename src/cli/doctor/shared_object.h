// Reads the names of exported functions from a shared library's file. The file is not trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsched::cli {

// Returns the names without versions, sorted, each once; none if it is no 64-bit ELF file that tells them.
std::optional<std::vector<std::string>> exported_functions(const std::string& path);

}  // namespace xsched::cli
