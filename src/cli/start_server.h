// Gets a server for a program that is about to run: the one that answers, or a new one for this user.
#pragma once

#include <string>

namespace xsched::cli {

// Afterwards a server is there and stays at least until this process (also after exec) has ended. False, with one WARN
// line written, if there can be none. `policy` (empty: the server's default) matters only for a new server; `server` is
// xserver's path.
bool ensure_server(const std::string& server, const std::string& policy);

}  // namespace xsched::cli
