// A program as people know it beyond its name: its user, its command line, and the pod, job or container that it runs
// in. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cli/server_link.h"

namespace xsched::cli {

// Returns the user's name, otherwise the number.
std::string user_name(uid_t uid);

// Returns the program's name if it fits into so many columns, otherwise an interpreter's without the interpreter.
std::string short_name(const std::string& program, size_t columns);

// Returns the name of a program that the server knows by its process alone ("not_connected"), as it will be once it has
// used a device: "python3 train.py".
std::string name_of_unconnected(const Json& program);

// Returns the programs of the server's answer to "status", also those that it knows by their processes alone.
std::vector<Json> programs_of(const Json& status);

// Returns a sentence about a program of which the process alone is known: whether a suspension waits for it, otherwise
// `from_run` behind its name.
std::string unconnected_text(const Json& program, const char* from_run);

// Returns the command line, as far as this system shows it, in printable letters; "-": it does not.
std::string command_line_of(int64_t pid);

// Returns "pod NAMESPACE/NAME", "job 42" or "container 3f2a9c01b2d4"; empty: the control group names none.
std::string place_of(const std::string& cgroup);

}  // namespace xsched::cli
