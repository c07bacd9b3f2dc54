// xserver --background: a program that found no server starts one and waits for this process only. This process exits
// at once, and its child becomes the server.
#pragma once

#include <string>

namespace xsched::server {

// How long a server that was started on demand stays without any client or tool.
inline constexpr const char* kIdleExitSeconds = "60";

// Turns this process into a daemon: its parent exits, it has a session of its own and default signal handling. Returns
// in the daemon only. Call before any thread is started.
void go_into_background();

// Returns the default log file of the server at `socket`: it lies beside the socket. A log over 1 MiB is emptied.
// Returns an empty text, after a log line, if another user's file or a link is there: writing to it could damage
// another file.
std::string background_log(const std::string& socket);

}  // namespace xsched::server
