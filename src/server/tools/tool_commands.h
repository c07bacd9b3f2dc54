// The commands behind tools.h. Each takes the parsed request and returns the answer's members (without "ok"), or throws
// ToolError with a sentence for the user.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/clients/seen_queue.h"
#include "server/tools/tool_request.h"

namespace xsched::server {

using Json = nlohmann::json;

// The request is malformed. Derived classes stand for other errors.
class ToolError : public std::runtime_error {
public:
    explicit ToolError(const std::string& sentence, const char* kind = "usage")
        : std::runtime_error(sentence), kind_(kind) {}
    // Returns the answer's "kind", on which xcli's exit status depends.
    const char* kind() const { return kind_; }

private:
    const char* kind_;
};
// The request names a process or queue that is not there, or that the asking user may not see.
class NobodyThere : public ToolError {
public:
    explicit NobodyThere(const std::string& sentence) : ToolError(sentence, "nobody") {}
};
// The order is not allowed, or not possible.
class NotDone : public ToolError {
public:
    explicit NotDone(const std::string& sentence) : ToolError(sentence, "refused") {}
};

struct Request {
    ToolHost& host;
    const Asking& asking;
    const Json& body;

    // Returns a whole number within bounds, or nothing if the member is absent. Throws ToolError.
    std::optional<int64_t> number(const char* member, int64_t least, int64_t most) const;
    std::optional<uint64_t> handle() const;  // value of "queue": a handle, or a number within its process
    std::optional<int64_t> pid() const;  // "pid"
    std::optional<std::string> text(const char* member) const;
    // Return whether the asking user may see a client; of a client that left, only its uid and its account are known.
    bool may_see(const Client& client) const;
    bool may_see(uid_t uid, uid_t user) const;
    bool rules_server() const;  // an administrator
    // Runs `what` on the scheduling thread. Throws ToolError if the thread gives no sign of life.
    void order(const Scheduler::Order& what) const;
};

// The last second, ten and sixty seconds: those of which tools are told what programs got and cost.
inline constexpr int64_t kWindowsS[] = {1, 10, 60};
// The sentence about an order that names no target.
inline constexpr const char* kNoTarget =
    "say what it is for: a program (PID or name), a queue (-x QUEUE), a device (--device DEVICE) or --all";

// Returns the end of a sentence that says which users administer this server.
std::string who_administers();

// Returns the one queue that "queue" names (with "pid", if handles of several processes are equal). Throws ToolError.
SeenQueue named_queue(const Request& request, uint64_t handle);
// Returns the clients of "pid". Throws ToolError if there are none, or if several processes claim that number.
std::vector<const Client*> named_clients(const Request& request, int64_t pid);

bool has_clients(const Request& request, int64_t pid);
// Returns whether a person has suspended one of these queues of the client, or sent its memory away.
bool is_suspended_by_person(const Client& client, const std::vector<SeenQueue>& queues);
// Keeps an order for a process that has not connected; it takes effect when it does. Returns the answer, or throws
// ToolError.
Json keep_order(const Request& request, int64_t pid, Json order);
// Logs the order in the words of the request: "uid 1000 (pid 17) hints {"pid":812,"priority":3}".
void tell_log(const Request& request, const char* what);
// Logs a line at INFO, unless the asking user has caused as many lines as one user may in a second.
void say_in_log(const Request& request, const std::string& line);

Json list_queues(const Request& request);
Json explain_status(const Request& request);
Json describe_server(const Request& request);
Json expect_program(const Request& request);
Json show_limits(const Request& request);
Json set_limit(const Request& request);
Json query_or_set_policy(const Request& request);
Json give_hint(const Request& request);
Json configure_queue(const Request& request);
Json show_configuration(const Request& request);
Json show_or_set_rules(const Request& request);
Json suspend(const Request& request);
Json resume(const Request& request);
Json read_journal(const Request& request);
Json describe_programs(const Request& request);
Json describe_habits(const Request& request);
Json note_promise(const Request& request);
Json describe_promises(const Request& request);
Json change_log_level(const Request& request);

}  // namespace xsched::server
