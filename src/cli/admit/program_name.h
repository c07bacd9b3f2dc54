// The name under which the server will know a program, as far as its command line tells. Pure; any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

// Returns the name as base/program_name.h makes it: "serve", "python3 serve.py", "python3 -m vllm". `words`: the
// command line, with the interpreter in front of a script.
std::string program_name_of(const std::vector<std::string>& words);

}  // namespace xsched::cli
