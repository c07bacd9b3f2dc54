// `xserver POLICY PORT`: the page and the HTTP API at a port of this machine, as earlier versions served one. A process
// of its own does it (xcli web), so that whoever hangs on the port keeps nobody from being scheduled. The main thread,
// before there are others.
#pragma once

#include <string>

namespace xsched::server {

// Where it finds the token that it asks for; made if it is not there, for this user alone.
std::string web_token_file(const std::string& socket);
// Starts the xcli beside this program. It ends with the calling process, and serves on while the server has a
// successor. What it has to say goes to standard error. If there is no xcli, one WARN line says so.
void serve_web_port(int port, const std::string& socket);

}  // namespace xsched::server
