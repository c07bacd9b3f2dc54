// What tools may ask: one JSON object per request, {"cmd": NAME, ...}, answered by {"ok": true, ...} or
// {"ok": false, "error": SENTENCE}. One function per command in tool_queries.cpp and tool_commands.cpp.
// A tool sees and steers the processes of its own user; root and the server's own user those of all. Main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dispatch/dispatcher.h"
#include "server/checkpoint.h"
#include "server/client.h"
#include "server/options.h"

namespace xsched::server {

// What the commands work on.
struct ToolHost {
    const Options& options;
    const int64_t& started_ns;
    const std::map<uint32_t, std::unique_ptr<Client>>& clients;
    dispatch::Dispatcher& dispatcher;
    Checkpoint& checkpoint;
    std::function<bool(pid_t)> expect;  // keeps the server here until this process ends
};

// Never throws.
std::string answer_tool(ToolHost& host, const Peer& peer, const std::string& request);
// False: the tool is gone or does not read.
bool send_answer(int socket, const std::string& answer);

}  // namespace xsched::server
