// The names of XSched's variables, and what was probably meant by a name that is none. Any thread that reads the
// environment.
#pragma once

#include <string>
#include <vector>

namespace xsched::config {

// Returns the variable that `name` is a misspelling of; empty: it is a variable of XSched, or none is near.
std::string variable_meant(const std::string& name);

// Returns a sentence for each variable of this process whose name is nearly that of one which XSched reads.
std::vector<std::string> misspelt_variables();

}  // namespace xsched::config
