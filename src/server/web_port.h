// `xserver POLICY PORT`: the page and the HTTP API at a port of this machine, as earlier versions served one. A process
// of its own does it (xcli web), so that whoever hangs on the port keeps nobody from being scheduled. The main thread,
// before there are others.
#pragma once

#include <string>

namespace xsched::server {

// Where it writes the token that it asks for: a new one at each start, for this user alone.
std::string web_token_file(const std::string& socket);
// Starts the xcli beside this program, and waits until it listens. It ends with the calling process, and serves on
// while the server has a successor. One line of the log says where it serves, or why it does not: no xcli, a port that
// is taken.
void serve_web_port(int port, const std::string& socket);

}  // namespace xsched::server
