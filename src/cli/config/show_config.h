// xcli config: each value of the configuration and where it comes from, and what is wrong with
// the files. The main thread.
#pragma once

#include <string>

namespace xsched::cli {

// Prints all values of the configuration. If a server answers, prints for the server's values those that it has in
// force. Returns 1 if a file is wrong, otherwise 0.
int show_config(bool json);
// Prints what is wrong with one file, as it would be read at its place; "": with all files that would be read. Prints
// which settings the configured policy ignores. Returns 1 if something is wrong.
int check_config(const std::string& file, bool json);

}  // namespace xsched::cli
