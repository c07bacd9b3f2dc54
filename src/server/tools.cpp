#include "server/tools.h"

#include "base/log.h"
#include "base/unique_fd.h"
#include "server/tool_commands.h"

#include <cinttypes>
#include <cstdio>

#include <sys/mman.h>

namespace xsched::server {
namespace {

struct Command {
    const char* name;
    Json (*run)(const Request&);
};
constexpr Command kCommands[] = {
    {"list", list_queues},      {"status", explain_status}, {"server", describe_server},
    {"expect", expect_program}, {"hint", give_hint},        {"config", configure_queue},
    {"suspend", suspend},       {"resume", resume},         {"policy", query_or_set_policy},
};

Json run_command(ToolHost& host, const Peer& peer, const std::string& text) {
    const Json body = Json::parse(text, nullptr, false);
    if (!body.is_object() || !body.contains("cmd") || !body["cmd"].is_string())
        throw ToolError("the request is no JSON object with a \"cmd\" (of at most " +
                        std::to_string(ipc::kMostPacketBytes) + " bytes)");
    const std::string name = body["cmd"];
    for (const Command& command : kCommands)
        if (name == command.name) return command.run(Request{host, peer, body});
    throw ToolError("this xserver knows no command \"" + name + "\": use tools of the same version");
}

std::string hexadecimal(uint64_t number) {
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, number);
    return text;
}

}  // namespace

std::string answer_tool(ToolHost& host, const Peer& peer, const std::string& request) {
    Json answer;
    try {
        answer = run_command(host, peer, request);
        answer["ok"] = true;
    } catch (const std::exception& error) {
        answer = {{"ok", false}, {"error", error.what()}};
    }
    // Whatever bytes a request quoted: an answer is always valid UTF-8.
    return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool send_answer(int socket, const std::string& answer) {
    if (answer.size() <= ipc::kMostPacketBytes) return ipc::send_packet(socket, answer.data(), answer.size());
    const base::UniqueFd file(memfd_create("xsched-answer", MFD_CLOEXEC));
    if (!file || write(file.get(), answer.data(), answer.size()) != static_cast<ssize_t>(answer.size())) {
        XLOG_WARN("no memory for an answer of %zu bytes", answer.size());
        return false;
    }
    const std::string head = Json{{"ok", true}, {"bytes", answer.size()}}.dump();
    return ipc::send_packet(socket, head.data(), head.size(), file.get());
}

std::optional<int64_t> Request::number(const char* member, int64_t least, int64_t most) const {
    const auto found = body.find(member);
    if (found == body.end() || found->is_null()) return std::nullopt;
    const bool in_range =
        found->is_number_integer() &&
        (!found->is_number_unsigned() || found->get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)) &&
        found->get<int64_t>() >= least && found->get<int64_t>() <= most;
    if (!in_range)
        throw ToolError(std::string(member) + " " + found->dump(-1, ' ', false, Json::error_handler_t::replace) +
                        " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return found->get<int64_t>();
}

std::optional<uint64_t> Request::handle() const {
    const auto found = body.find("queue");
    if (found == body.end() || found->is_null()) return std::nullopt;
    if (!found->is_number_unsigned()) throw ToolError("queue is not a handle: use a number that 'xcli list' shows");
    return found->get<uint64_t>();
}

std::optional<int64_t> Request::pid() const { return number("pid", 1, INT32_MAX); }

std::optional<std::string> Request::text(const char* member) const {
    const auto found = body.find(member);
    if (found == body.end() || found->is_null()) return std::nullopt;
    if (!found->is_string()) throw ToolError(std::string(member) + " is not a text");
    return found->get<std::string>();
}

bool Request::may_see(const Client& client) const { return rules_server() || client.peer().uid == peer.uid; }

bool Request::rules_server() const { return peer.uid == 0 || peer.uid == geteuid(); }

std::vector<SeenQueue> visible_queues(const Request& request) {
    std::vector<SeenQueue> queues;
    for (const auto& report : request.host.dispatcher.reports()) {
        const auto found = request.host.clients.find(report.client_id);
        if (found == request.host.clients.end() || report.slot >= ipc::kMostQueues) continue;
        if (!request.may_see(*found->second)) continue;
        queues.push_back({*found->second, found->second->region().slots[report.slot], report});
    }
    return queues;
}

SeenQueue named_queue(const Request& request, uint64_t handle) {
    const auto pid = request.pid();
    std::vector<SeenQueue> matching;
    for (const SeenQueue& queue : visible_queues(request))
        if (queue.slot.handle.load() == handle && (!pid || queue.client.peer().pid == *pid)) matching.push_back(queue);
    if (matching.empty())
        throw ToolError("there is no queue " + hexadecimal(handle) +
                        (pid ? " in process " + std::to_string(*pid) : "") + ": 'xcli list' shows those there are");
    if (matching.size() > 1)
        throw ToolError("several processes have a queue " + hexadecimal(handle) + ": say which with --pid");
    return matching.front();
}

std::vector<const Client*> named_clients(const Request& request, int64_t pid) {
    std::vector<const Client*> matching;
    for (const auto& [id, client] : request.host.clients)
        if (client->peer().pid == pid && request.may_see(*client)) matching.push_back(client.get());
    if (matching.empty())
        throw ToolError("no process " + std::to_string(pid) +
                        " is scheduled by this server: 'xcli status' shows those there are");
    return matching;
}

}  // namespace xsched::server
