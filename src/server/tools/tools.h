// Requests of tools: one JSON object each, {"cmd": NAME, ...}. The answer is {"ok": true, ...} or {"ok": false,
// "error": SENTENCE, "kind": "usage", "nobody" or "refused"}. Each command is one function in tool_queries.cpp and its
// neighbours. A tool sees and steers the processes of its own user; root and the server's own user see and steer all.
// Front thread.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "server/tools/tool_request.h"

namespace xsched::server {

// Never throws.
std::string answer_tool(ToolHost& host, const Asking& asking, const std::string& request);
std::string refusal(const std::string& sentence, const char* kind = "refused");
// Sends an answer. Returns false if the tool is gone or does not read. `file`: receives the file that holds a long
// answer.
bool send_answer(int socket, const std::string& answer, base::UniqueFd& file);

}  // namespace xsched::server
