#include "server/tools/tools.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {
namespace {

// Which users may give a command: all, or not those who come by the socket for containers. The latter may look at and
// steer only their own programs.
enum class For { kAll, kNoGuest };

struct Command {
    const char* name;
    Json (*run)(const Request&);
    For whom = For::kAll;
    bool lists = false;  // tells which programs there are
};
constexpr Command kCommands[] = {
    {"list", list_queues, For::kAll, true},
    {"status", explain_status, For::kAll, true},
    {"server", describe_server},
    {"expect", expect_program},
    {"hint", give_hint},
    {"config", configure_queue},
    {"configuration", show_configuration},
    {"suspend", suspend},
    {"resume", resume},
    {"policy", query_or_set_policy},
    {"rules", show_or_set_rules, For::kNoGuest},
    {"limits", show_limits},
    {"limit", set_limit, For::kNoGuest},
    {"record", read_journal},
    {"programs", describe_programs, For::kAll, true},
    {"habits", describe_habits},
    {"promise", note_promise},
    {"promises", describe_promises},
    {"log", change_log_level, For::kNoGuest},
};

// Version of the answers: raised if a key disappears or changes its meaning. New keys do not raise it (docs/json.md).
constexpr int kJsonVersion = 2;
constexpr int kDeepest = 32;
// A member of answers that may lack programs: those of an earlier server, which are about to connect.
constexpr const char* kSomeReturn = "some_return";

// Returns whether the JSON text nests too deep. Checked before parsing, since a parser uses stack for each level.
bool is_too_deep(const std::string& text) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (quoted && letter == '\\') {
            ++i;
        } else if (letter == '"') {
            quoted = !quoted;
        } else if (!quoted && (letter == '[' || letter == '{')) {
            if (++depth > kDeepest) return true;
        } else if (!quoted && (letter == ']' || letter == '}')) {
            --depth;
        }
    }
    return false;
}

Json run_command(ToolHost& host, const Asking& asking, const std::string& text) {
    if (is_too_deep(text)) throw ToolError("the request is nested more than " + std::to_string(kDeepest) + " deep");
    const Json body = Json::parse(text, nullptr, false);
    if (!body.is_object() || !body.contains("cmd") || !body["cmd"].is_string())
        throw ToolError("the request is no JSON object with a \"cmd\" (of at most " +
                        std::to_string(ipc::kMostPacketBytes) + " bytes)");
    const std::string name = body["cmd"];
    for (const Command& command : kCommands) {
        if (name != command.name) continue;
        if (command.whom == For::kNoGuest && asking.peer.guest)
            throw NotDone("\"" + name + "\" is not for containers: ask the host's administrator");
        Json answer = command.run(Request{host, asking, body});
        if (command.lists && host.returning.any(host.clients, base::now_ns())) answer[kSomeReturn] = true;
        return answer;
    }
    throw ToolError("this xserver knows no command \"" + name + "\": use tools of the same version");
}

Json refused(const std::string& sentence, const char* kind) {
    return {{"ok", false}, {"error", sentence}, {"kind", kind}};
}

// Returns a read-only descriptor of the same file; none without /proc.
base::UniqueFd open_to_read(int file) {
    // The folder of the process's descriptors is opened once and kept, since other users can block look-ups in /proc.
    static const int own_files = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return base::UniqueFd(openat(own_files, std::to_string(file).c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

// Returns the answer as text, always valid UTF-8, whatever bytes a request quoted.
std::string text_of(const Json& answer) { return answer.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string answer_tool(ToolHost& host, const Asking& asking, const std::string& request) {
    try {
        Json answer = run_command(host, asking, request);
        answer["ok"] = true;
        answer["json_version"] = kJsonVersion;
        return text_of(answer);
    } catch (const NobodyThere& error) {
        Json answer = refused(error.what(), error.kind());
        if (host.returning.any(host.clients, base::now_ns())) answer[kSomeReturn] = true;
        return text_of(answer);
    } catch (const ToolError& error) {
        return refusal(error.what(), error.kind());
    } catch (const std::exception& error) {
        return refusal(error.what());
    }
}

std::string refusal(const std::string& sentence, const char* kind) { return text_of(refused(sentence, kind)); }

bool send_answer(int socket, const std::string& answer, base::UniqueFd& file) {
    file.reset();
    if (answer.size() <= ipc::kMostPacketBytes) return ipc::send_packet(socket, answer.data(), answer.size());
    // Seals a file so that no other process can enlarge it, and none can prevent the server from emptying it. No other
    // user may open it for writing, either.
    constexpr unsigned kSeals = F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
    file.reset(memfd_create("xsched-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file || write(file.get(), answer.data(), answer.size()) != static_cast<ssize_t>(answer.size()) ||
        fcntl(file.get(), F_ADD_SEALS, kSeals) != 0 || fchmod(file.get(), 0400) != 0) {
        XLOG_WARN("no memory for an answer of %zu bytes", answer.size());
        return false;
    }
    const base::UniqueFd readable = open_to_read(file.get());
    const std::string head = Json{{"ok", true}, {"bytes", answer.size()}}.dump();
    return ipc::send_packet(socket, head.data(), head.size(), readable ? readable.get() : file.get());
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
    if (!found->is_number_unsigned())
        throw ToolError("queue is not a queue's number: use one that 'xcli list' shows, or its handle");
    return found->get<uint64_t>();
}

std::optional<int64_t> Request::pid() const { return number("pid", 1, INT32_MAX); }

std::optional<std::string> Request::text(const char* member) const {
    const auto found = body.find(member);
    if (found == body.end() || found->is_null()) return std::nullopt;
    if (!found->is_string()) throw ToolError(std::string(member) + " is not a text");
    return found->get<std::string>();
}

// Returns whether the asking user may see the client: his own programs and those of his containers. A container does
// not see its owner's programs.
bool Request::may_see(const Client& client) const { return may_see(client.peer().uid, client.user().uid()); }

bool Request::may_see(uid_t uid, uid_t user) const {
    return rules_server() || uid == asking.peer.uid || user == asking.peer.uid;
}

bool Request::rules_server() const { return asking.peer.administers; }

std::string who_administers() {
    return ": these are root and the server's own user, outside of containers (root with CAP_SYS_ADMIN)";
}

void Request::order(const Scheduler::Order& what) const {
    if (!host.scheduler.run(what))
        throw NotDone("the server's scheduling thread gives no sign of life, and nothing was changed: see its log");
}

SeenQueue named_queue(const Request& request, uint64_t handle) {
    const auto pid = request.pid();
    std::vector<SeenQueue> matching;
    std::vector<SeenQueue> numbered;
    for (const auto& [id, client] : request.host.clients) {
        if (!request.may_see(*client) || (pid && client->pid() != *pid)) continue;
        for (const SeenQueue& queue : queues_of(*client)) {
            if (queue.slot.handle.load() == handle) matching.push_back(queue);
            if (queue.number() == handle) numbered.push_back(queue);
        }
    }
    if (matching.empty()) matching.swap(numbered);
    const std::string name = request.text("typed").value_or(std::to_string(handle));  // 0xab1, 17.2
    const bool names_process = !pid || name.find('.') != std::string::npos;
    if (matching.empty())
        throw NobodyThere("there is no queue " + name + (names_process ? "" : " in process " + std::to_string(*pid)) +
                          ": 'xcli list' shows those there are");
    if (matching.size() > 1)
        throw ToolError("several processes have a queue " + name + ": say of which process (--pid PID)");
    return matching.front();
}

std::vector<const Client*> named_clients(const Request& request, int64_t pid) {
    std::vector<const Client*> matching;
    for (const auto& [id, client] : request.host.clients)
        if (client->pid() == pid && request.may_see(*client)) matching.push_back(client.get());
    if (matching.empty())
        throw NobodyThere("no process " + std::to_string(pid) +
                          " is scheduled by this server: 'xcli status' shows those there are");
    for (const Client* client : matching)
        if (client->process() != matching.front()->process())
            throw ToolError("several processes say that they have number " + std::to_string(pid) +
                            " (each in a pid namespace of its own): name their queues (-x QUEUE), as 'xcli list' shows "
                            "them");
    return matching;
}

}  // namespace xsched::server
