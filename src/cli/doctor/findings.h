// Findings that several platforms' parts of xcli doctor (src/platform/<p>/doctor.cpp) share.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/doctor.h"

namespace xsched::cli {

using Strings = std::vector<std::string>;

std::string joined(const Strings& words);
// Returns the value of an environment variable; empty if `machine` is not this machine, whose environment is not known.
std::string environment(const Machine& machine, const char* variable);

Finding shim_of(const Installation& installation, const char* platform);
// Finds the library that a program would use, unless `variable` names another. `package`: what to install if there is
// none.
Finding library(const Machine& machine, const std::string& name, const char* variable, const Strings& folders,
                const std::string& package);
// Adds functions that this driver's library exports and XSched does not know (known_functions.h): the driver is newer.
// Adds nothing if there is no library, or its file does not tell. `prefix`: how the names of its functions begin.
void add_new_functions(Platform& platform, const Machine& machine, const std::string& name, const char* variable,
                       const Strings& folders, const std::string& prefix);
// The library that programs load to reach the vendor's drivers.
struct Loader {
    const char* library;
    const char* variable;  // that names another one; empty: none does
    const char* package;  // what to install if there is none
    const char* prefix;  // how the names of its functions begin; empty: they are not compared
};
// Returns the platform with the findings about its shim and its loader.
Platform behind_loader(const char* name, const Machine& machine, const Installation& installation,
                       const Loader& loader);
Finding device_node(const Machine& machine, const std::string& path, const std::string& hint_missing,
                    const std::string& hint_refused);
// Returns a row for each of these environment variables that is set.
std::vector<Finding> variables_that_matter(const Machine& machine, const Strings& names);
// Rules out all levels if one of the findings is a "no". Returns false if nothing speaks against level 1.
bool add_obstacle(Platform& platform);

}  // namespace xsched::cli
