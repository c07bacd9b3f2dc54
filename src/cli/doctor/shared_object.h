// Reads from the file of a program or shared library which functions it exports and which libraries it needs. The file
// is not trusted.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsched::cli {

// Returns the names of the functions that a shared library exports, without versions, sorted, each once. Returns
// nullopt if the file is no 64-bit ELF file with a table of them.
std::optional<std::vector<std::string>> exported_functions(const std::string& path);

// Returns the names of the libraries that a program or library is linked to. Empty: none, or the file is no 64-bit ELF
// file that tells.
std::vector<std::string> needed_libraries(const std::string& path);

}  // namespace xsched::cli
