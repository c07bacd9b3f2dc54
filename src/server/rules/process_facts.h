// The facts about a process that rules look at, as a text that one thread hands to another. Reading them may block for
// as long as the process likes: a page of its command line may lie in a file of its own file system. Any thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "config/rule.h"

namespace xsched::server {

// Returns the facts; empty if the system does not tell them.
std::string read_process_facts(pid_t pid);
// Returns the program of such a text. `told_name`: the process's own word for its name, used if the text is empty.
config::Program program_of(const std::string& facts, const std::string& told_name);

}  // namespace xsched::server
