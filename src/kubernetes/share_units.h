// A GPU as 100 devices of a device plugin, of which each is one percent: "gpu-0000-3b-00-0::17". Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace xsched::kubernetes {

inline constexpr const char* kResource = "xsched.io/share";  // what a pod asks for

// Returns the names of all units of a GPU.
std::vector<std::string> units_of(const std::string& gpu);
// Returns how many of the units each GPU has.
std::map<std::string, size_t> by_gpu(const std::vector<std::string>& units);
// Chooses `size` of the available units, with those that must be among them: of one GPU if one has enough, and of these
// of the GPU with the least left, so that large requests fit on others.
std::vector<std::string> preferred_units(const std::vector<std::string>& available,
                                         const std::vector<std::string>& must, size_t size);

}  // namespace xsched::kubernetes
