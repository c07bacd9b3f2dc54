// The findings that the platforms' parts of xcli doctor (src/platform/<p>/doctor.cpp) have in common.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/doctor.h"

namespace xsched::cli {

using Strings = std::vector<std::string>;

std::string joined(const Strings& words);
// Returns the value of an environment variable of this machine; the environment is not another machine's.
std::string environment(const Machine& machine, const char* variable);

Finding shim_of(const Installation& installation, const char* platform);
// The library that a program would use; `variable` names another. `package`: what to install if there is none.
Finding library(const Machine& machine, const std::string& name, const char* variable, const Strings& folders,
                const std::string& package);
// Adds the functions of a newer driver: the same library exports them, and XSched does not know them
// (known_functions.h). Nothing where there is no library, or its file does not say. `prefix`: what its functions' names
// begin with.
void add_new_functions(Platform& platform, const Machine& machine, const std::string& name, const char* variable,
                       const Strings& folders, const std::string& prefix);
Finding device_node(const Machine& machine, const std::string& path, const std::string& hint_missing,
                    const std::string& hint_refused);
// Those of these environment variables that are set, as rows.
std::vector<Finding> variables_that_matter(const Machine& machine, const Strings& names);
// All levels are out of the question if one of the findings is a "no". False: nothing speaks against level 1.
bool add_obstacle(Platform& platform);

}  // namespace xsched::cli
