// The names of kernels. The HIP runtime asks the HSA library for each kernel's object by name; the emulator stands
// between (hsa_executable_symbol_get_info). Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace kfd {

// Returns the name of the kernel behind a kernel object; empty if no program asked for it by name, as for the HSA
// library's own kernels.
std::string name_of_kernel(uint64_t object);

}  // namespace kfd
