// Says why the server does not know a program, or nothing of its work. Any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/explain/explained.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Returns why the server does not know the program. `status`: the server's answer to "status". `name`: the number of a
// process, or a part of a program's name.
std::string why_unknown(const Json& status, const std::string& name);

// Returns the programs that the process started, where it is none itself, as a shell or timeout: those that are
// scheduled, otherwise those that will be. Empty: the process is a program, or it has started none.
std::vector<Json> programs_behind(const Json& status, int64_t pid);
// Says that no program has this name, and which one was probably meant.
std::string no_such_program(const std::vector<Json>& programs, const std::string& name);
// Returns why the process that an order was for is not connected to this server: XSched is not loaded into it, as far
// as the system lets this user see, or it has used no device, or it may be another server's. `answer`: the server's,
// which keeps the order. Empty: the process is connected, or 'xcli run' has announced it.
std::string why_kept(const Json& answer, int64_t pid);
// Explains a program that is connected and has no queue.
Explained without_queues(const Json& program);

}  // namespace xsched::cli
