// This user's xserver, started from inside the program as `xcli run` would have started it before the program.
#pragma once

namespace xsched::agent {

// Whether somebody who finds no server may start one: not if XSCHED_SOCKET names a place (who named it knows who serves
// there), not in a program with more rights than its user. Any thread.
bool may_start_server();

// Null: a server is on its way, and answers within moments or never. Else why there can be none, or is not to be. The program gets no
// SIGCHLD, no child to wait for, and nothing on its standard streams; the server has none of its descriptors. The
// agent's thread.
const char* start_server();

}  // namespace xsched::agent
