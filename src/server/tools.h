// What tools may ask: one JSON object per request, {"cmd": NAME, ...}, answered by {"ok": true, ...} or
// {"ok": false, "error": SENTENCE}. One function per command in tool_queries.cpp and tool_commands.cpp.
// A tool sees and steers the processes of its own user; root and the server's own user those of all. Front thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "server/checkpoint.h"
#include "server/client.h"
#include "server/options.h"
#include "server/scheduler.h"
#include "server/users.h"

namespace xsched::server {

// What the commands work on.
struct ToolHost {
    const Options& options;
    const int64_t& started_ns;
    const std::map<uint32_t, std::unique_ptr<Client>>& clients;
    Scheduler& scheduler;
    Users& users;
    Checkpoint& checkpoint;
    // Keeps the server here until the process at the other end of the connection ends.
    std::function<bool(const Peer& peer, int connection, User& user)> expect;
};

// Who asks.
struct Asking {
    const Peer& peer;
    User& user;
    int connection;
};

// Never throws.
std::string answer_tool(ToolHost& host, const Asking& asking, const std::string& request);
std::string refusal(const std::string& sentence);
// False: the tool is gone or does not read.
bool send_answer(int socket, const std::string& answer);

}  // namespace xsched::server
