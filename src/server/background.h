// xserver --background: a program that found no server has started this one, and waits for its first process alone.
#pragma once

#include <string>

namespace xsched::server {

// How long such a server stays without client or tool.
inline constexpr double kIdleExitSeconds = 60;

// Returns in a process that is nobody's child, in a session of its own, with every signal as a new program has it. The
// first process ends. Before any thread is started.
void go_into_background();

// Where the log of the server at `socket` goes unless it is told: beside it. A log over 1 MiB is begun anew.
// Empty, after a line: somebody else's file or a link is there, and nobody must have us write to another.
std::string background_log(const std::string& socket);

}  // namespace xsched::server
