// This user's xserver, started from inside the program as `xcli run` would have started it before the program.
#pragma once

namespace xsched::agent {

// Returns whether this process may start a server if it finds none. It may not if XSCHED_SOCKET names a socket, since
// the user then expects a certain server. A program with more rights than its user may not, either. Any thread.
bool may_start_server();

// Starts a server. Returns null if one is on its way: it answers within moments or never. Otherwise returns why there
// can be none. The program gets no SIGCHLD, no child to wait for, and nothing on its standard streams. The server has
// none of its descriptors. The agent's thread.
const char* start_server();

}  // namespace xsched::agent
