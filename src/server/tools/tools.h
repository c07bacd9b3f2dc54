// The requests of tools: one JSON object per request, {"cmd": NAME, ...}, answered by {"ok": true, ...} or {"ok":
// false, "error": SENTENCE, "kind": "usage", "nobody" or "refused"}. One function per command in tool_queries.cpp and
// tool_commands.cpp. A tool sees and steers the processes of its own user; root and the server's own user those of all.
// Front thread.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "server/tools/tool_request.h"

namespace xsched::server {

// Never throws.
std::string answer_tool(ToolHost& host, const Asking& asking, const std::string& request);
std::string refusal(const std::string& sentence, const char* kind = "refused");
// False: the tool is gone or does not read. `file` gets where a long one is.
bool send_answer(int socket, const std::string& answer, base::UniqueFd& file);

}  // namespace xsched::server
