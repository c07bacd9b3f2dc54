// `xserver POLICY PORT`: serves the page and the HTTP API at a port of this machine, as earlier versions did. A
// separate process (xcli web) serves them, so a slow HTTP client cannot delay scheduling. Call on the main thread,
// before there are others.
#pragma once

#include <string>

namespace xsched::server {

// Returns the file for the token that the page asks for. A new token is written at each start, for this user only.
std::string web_token_file(const std::string& socket);
// Starts the xcli that lies beside this program, and waits until it listens. It ends with the calling process; it
// continues to serve if the server is replaced. The log says where it serves, or why it does not: no xcli, a port in
// use.
void serve_web_port(int port, const std::string& socket);

}  // namespace xsched::server
