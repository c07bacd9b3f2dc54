// Gets a server for a program that is about to run: one that answers, or a new one for this user.
#pragma once

#include <string>

namespace xsched::cli {

// How long a server that was started for a program stays without any client or tool, unless the configuration says.
inline constexpr const char* kIdleExitSeconds = "60";

// Makes sure that a server runs, and stays at least until this process (also after exec) has ended. Returns false,
// after a WARN line, if none can be started. `server`: path of xserver. `policy`: for a new server only; empty: the
// configured one, else that of XSCHED_POLICY, else the server's default. kNo: a server that runs is not told of this
// process, and does not log its end.
enum class Announced { kNo, kYes };
bool ensure_server(const std::string& server, const std::string& policy, Announced announced);

}  // namespace xsched::cli
