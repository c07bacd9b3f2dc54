// Commands that change state: policy, suspend, resume, log. Hints and settings are in tool_hints.cpp.
#include "server/tools/tool_commands.h"

#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/hints.h"
#include "base/log.h"
#include "policy/policy.h"

namespace xsched::server {
namespace {

std::string policy_names() {
    std::string names;
    for (const auto& info : policy::policies()) names += (names.empty() ? "" : ", ") + std::string(info.name);
    return names;
}

// Refuses if nothing of the process's memory can be moved.
void check_memory(const Request& request, int64_t pid) {
    for (const Client* client : named_clients(request, pid))
        for (const ipc::DeviceMemory& memory : client->header().memory)
            if (memory.evictable.load() != 0 && (memory.on_card.load() != 0 || memory.on_host.load() != 0)) return;
    const std::string number = std::to_string(pid);
    throw NotDone("process " + number +
                  " has no memory that can be moved: start it with 'xcli run --evictable', or say 'xcli hint " +
                  number + " --evictable' for what it allocates from then on");
}

// Suspends or resumes a queue of these clients; 0: all queues. Returns how many clients there are.
size_t hold_clients(const Request& request, const std::vector<uint32_t>& clients, uint64_t queue, bool suspend) {
    // The first order makes the dispatcher read these clients, so that the second one finds also queues that were just
    // created.
    request.order([&clients](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : clients) dispatcher.look_at(id);
    });
    size_t count = 0;
    request.order([&](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : clients) count += dispatcher.set_suspended_by_person(id, queue, suspend) ? 1 : 0;
    });
    return count;
}

void send_memory(const Request& request, const std::vector<uint32_t>& clients, bool away) {
    for (const uint32_t id : clients) request.host.clients.at(id)->memory_sent_away = away;
    request.order([&clients, away](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : clients) dispatcher.keep_memory_away(id, away);
    });
}

Json hold(const Request& request, bool suspend) {
    const auto handle = request.handle();
    const auto pid = request.pid();
    const bool memory = request.body.value("memory", Json(false)) == Json(true);
    if (!handle && !pid) throw ToolError("say what: a process (PID) or a queue (-x QUEUE)");
    if (memory && handle) throw ToolError("memory is a process's, not a queue's: give its PID");
    if (memory) check_memory(request, *pid);
    const char* const what = suspend ? "suspends" : "resumes";
    if (!handle && !has_clients(request, *pid)) {
        if (!suspend && !request.host.orders.has(static_cast<pid_t>(*pid))) named_clients(request, *pid);  // throws
        const Json answer = keep_order(request, *pid, {{"held", suspend}});
        tell_log(request, what);
        return answer;
    }
    std::vector<uint32_t> clients;
    uint64_t queue_handle = 0;
    size_t queues = 0;
    if (handle) {
        const SeenQueue queue = named_queue(request, *handle);
        clients.push_back(queue.client.id());
        queue_handle = queue.slot.handle.load();
        queues = 1;
    } else {
        for (const Client* client : named_clients(request, *pid)) {
            clients.push_back(client->id());
            queues += queues_of(*client).size();
        }
    }
    // Where memory goes to the host, that keeps the program off: its work must end before, so it is not suspended.
    const bool away = suspend && memory;
    if (hold_clients(request, clients, queue_handle, suspend && !away) == 0)
        throw NobodyThere("it went away meanwhile: 'xcli list' shows what there is");
    if (queue_handle == 0) send_memory(request, clients, away);
    // All of them are connections of one process.
    const pid_t process = request.host.clients.at(clients.front())->pid();
    if (away)
        request.host.checkpoint.note_memory_away(process);
    else
        request.host.checkpoint.note_suspended(process, queue_handle, suspend);
    tell_log(request, what);
    return {{"queues", queues}, {"later", !handle.has_value()}};
}

// Returns the request names of the hints that the policy reads. Null: it may read any.
Json hints_of(const policy::PolicyInfo& info) {
    const uint32_t read = info.make()->hints();
    if (read == ~0U) return {};
    Json names = Json::array();
    for (const base::HintInfo& hint : base::kHints)
        if (((read | policy::kUnderEveryPolicy) >> static_cast<unsigned>(hint.id) & 1) != 0)
            names.push_back(hint.request);
    return names;
}

// Puts a policy in force. If it decides already, it continues with everything that it has learned.
void use_policy(sched::Core& core, const policy::PolicyInfo& info) {
    std::unique_ptr<policy::Policy> made = info.make();
    if (core.policy_name() == made->name() && core.thrown_out() == nullptr) return;
    core.set_policy(std::move(made));
}

}  // namespace

Json keep_order(const Request& request, int64_t pid, const Json& order) {
    Peer meant;
    const bool there = start_of(static_cast<pid_t>(pid)) != 0 && identify_process(static_cast<pid_t>(pid), &meant);
    if (there) request.host.identities.settle(meant);
    if (!there || !(request.rules_server() || meant.uid == request.asking.peer.uid))
        throw NobodyThere("no process " + std::to_string(pid) +
                          " is scheduled by this server, and you have none of that number that could be: 'xcli status' "
                          "shows those there are");
    const User& user = request.asking.user;
    if (!request.host.orders.keep(static_cast<pid_t>(pid), user.uid(), user.trusted(), order))
        throw NotDone("orders for as many processes as you may give them wait already: process " + std::to_string(pid) +
                      " has to come first");
    return {{"queues", 0}, {"later", true}};
}

void tell_log(const Request& request, const char* what) {
    Json body = request.body;
    body.erase("cmd");
    const std::string said = what + (" " + body.dump(-1, ' ', true, Json::error_handler_t::replace));
    request.host.notes.add(request.asking.peer, false, said, base::now_ns());
    say_in_log(request, name_of(request.asking.peer) + " " + said);
}

void say_in_log(const Request& request, const std::string& line) {
    if (request.asking.user.may_log(base::now_ns())) XLOG_INFO("%s", line.c_str());
}

bool has_clients(const Request& request, int64_t pid) {
    for (const auto& [id, client] : request.host.clients)
        if (client->pid() == pid && request.may_see(*client)) return true;
    return false;
}

Json query_or_set_policy(const Request& request) {
    if (const auto name = request.text("name")) {
        if (!request.rules_server())
            throw NotDone("only administrators may change the policy of a system server" + who_administers());
        const policy::PolicyInfo* info = policy::find_policy(name->c_str());
        if (info == nullptr) throw ToolError("there is no policy \"" + *name + "\": use one of " + policy_names());
        request.order([info](dispatch::Dispatcher& dispatcher) { use_policy(dispatcher.core(), *info); });
        request.host.checkpoint.note_policy(info->name);
        request.host.notes.add(request.asking.peer, true, std::string("policy ") + info->name, base::now_ns());
        XLOG_INFO("using policy %s, as %s asked", info->name, name_of(request.asking.peer).c_str());
    }
    Json known = Json::array();
    for (const auto& info : policy::policies())
        known.push_back({{"name", info.name}, {"summary", info.summary}, {"hints", hints_of(info)}});
    return {{"policy", request.host.scheduler.policy_name()}, {"policies", known}};
}

// Changes the log level, and logs that at INFO in any case: a later reader should see why the log is short.
Json change_log_level(const Request& request) {
    if (const auto name = request.text("level")) {
        if (!request.rules_server())
            throw NotDone("only administrators may change what a system server logs" + who_administers());
        base::LogLevel level{};
        if (!base::find_log_level(name->c_str(), &level))
            throw ToolError("there is no log level \"" + *name + "\": use DEBG, INFO, WARN or ERRO");
        if (level <= base::LogLevel::kInfo) base::set_log_level(level);
        XLOG_INFO("log level %s, as %s asked", name->c_str(), name_of(request.asking.peer).c_str());
        base::set_log_level(level);
        request.host.checkpoint.note("log_level", *name);
    }
    return {{"level", base::log_level_name()}};
}

Json suspend(const Request& request) { return hold(request, true); }
Json resume(const Request& request) { return hold(request, false); }

}  // namespace xsched::server
