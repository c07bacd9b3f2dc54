// Commands that change state: policy, suspend, resume, log. Hints and settings are in tool_hints.cpp.
#include "server/tools/tool_commands.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/hints.h"
#include "base/log.h"
#include "policy/no_such_policy.h"
#include "server/dying.h"

namespace xsched::server {
namespace {

// Returns whether XSched itself can move some of the process's memory.
bool can_move_memory(const std::vector<const Client*>& clients) {
    for (const Client* client : clients)
        for (const ipc::DeviceMemory& memory : client->header().memory)
            if (memory.evictable.load() != 0 && (memory.on_card.load() != 0 || memory.on_host.load() != 0)) return true;
    return false;
}

// Returns whether the driver's checkpoint can move the process's memory: it is a program of CUDA, and has some.
bool driver_can_move(const std::vector<const Client*>& clients) {
    constexpr auto kCuda = static_cast<uint32_t>(kPlatformCUDA);
    return std::any_of(clients.begin(), clients.end(), [](const Client* client) {
        for (const SeenQueue& queue : queues_of(*client))
            if (queue.slot.platform.load() == kCuda) return true;
        return false;
    });
}

// A tool makes the driver's checkpoint, as the program's user: the server has no CUDA. A tool that can do so says
// "driver". It is told to by an answer with "by": "checkpoint", and asks once more when that is done, with
// "checkpointed".
bool says(const Request& request, const char* word) { return request.body.value(word, Json(false)) == Json(true); }

Json ask_for_checkpoint(int64_t pid) { return {{"queues", 0}, {"by", "checkpoint"}, {"pid", pid}}; }

// Notes that the driver's checkpoint has moved the process's memory, or brought it back.
Json note_checkpoint(const Request& request, int64_t pid, bool away) {
    size_t queues = 0;
    pid_t process = 0;
    for (const Client* client : named_clients(request, pid)) {
        Client& it = *request.host.clients.at(client->id());
        it.memory_sent_away = it.memory_by_driver = away;
        queues += queues_of(it).size();
        process = it.pid();
    }
    if (away)
        request.host.checkpoint.note_memory_away(process, true);
    else
        request.host.checkpoint.note_suspended(process, 0, false);
    tell_log(request, away ? "suspends" : "resumes");
    return {{"queues", queues}, {"later", false}};
}

// Answers an order about a process's memory that is the driver's to carry out; null: it is XSched's own.
Json hold_by_driver(const Request& request, int64_t pid, bool suspend, bool memory) {
    if (!has_clients(request, pid)) return {};
    const std::vector<const Client*> clients = named_clients(request, pid);
    const bool is_away =
        std::any_of(clients.begin(), clients.end(), [](const Client* it) { return it->memory_by_driver; });
    if (suspend ? !memory || is_away || can_move_memory(clients) || !driver_can_move(clients) : !is_away) return {};
    if (says(request, "checkpointed")) return note_checkpoint(request, pid, suspend);
    if (says(request, "driver")) return ask_for_checkpoint(pid);
    if (suspend) return {};
    const std::string number = std::to_string(pid);
    throw NotDone("the driver's checkpoint has moved the memory of process " + number + ": 'xcli resume " + number +
                  "' brings it back");
}

// Refuses if nothing of the process's memory can be moved.
void check_memory(const Request& request, int64_t pid) {
    if (can_move_memory(named_clients(request, pid))) return;
    const std::string number = std::to_string(pid);
    for (const Client* client : named_clients(request, pid))
        if (!counts_memory(*client))
            throw NotDone("the memory of process " + number +
                          " stays on its device, whose platform gives XSched no way to move it: 'xcli suspend " +
                          number + "' alone holds its work");
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

// Refuses to resume a queue of a program that is suspended as a whole.
void check_resume(const Client& client) {
    if (is_suspended_by_person(client, {}))
        throw NotDone("its whole program is suspended: 'xcli resume " + std::to_string(client.pid()) +
                      "' resumes all of its queues");
}

void send_memory(const Request& request, const std::vector<uint32_t>& clients, bool away) {
    for (const uint32_t id : clients) request.host.clients.at(id)->memory_sent_away = away;
    request.order([&clients, away](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : clients) dispatcher.keep_memory_away(id, away);
    });
}

// Suspends or resumes a process that has not connected.
Json hold_later(const Request& request, int64_t pid, bool suspend) {
    const auto number = static_cast<pid_t>(pid);
    if (!suspend && !request.host.orders.has(number)) named_clients(request, pid);  // throws
    const bool was_suspended = request.host.orders.suspends(number);
    Json answer = keep_order(request, pid, {{"held", suspend}});
    if (!suspend) answer["was_suspended"] = was_suspended;
    tell_log(request, suspend ? "suspends" : "resumes");
    return answer;
}

Json hold(const Request& request, bool suspend) {
    const auto handle = request.handle();
    const auto pid = request.pid();
    const bool memory = says(request, "memory");
    if (!handle && !pid) throw ToolError(kNoTarget);
    if (memory && handle) throw ToolError("memory is a process's, not a queue's: say which process (PID)");
    if (pid && !handle)
        if (const Json answer = hold_by_driver(request, *pid, suspend, memory); !answer.is_null()) return answer;
    if (memory) check_memory(request, *pid);
    if (!handle && !has_clients(request, *pid)) return hold_later(request, *pid, suspend);
    std::vector<uint32_t> clients;
    uint64_t queue_handle = 0;
    size_t queues = 0;
    bool was_suspended = suspend;
    if (handle) {
        const SeenQueue queue = named_queue(request, *handle);
        if (!suspend) check_resume(queue.client);
        was_suspended |= is_suspended_by_person(queue.client, {queue});
        clients.push_back(queue.client.id());
        queue_handle = queue.slot.handle.load();
        queues = 1;
    } else {
        for (const Client* client : named_clients(request, *pid)) {
            clients.push_back(client->id());
            was_suspended |= is_suspended_by_person(*client, queues_of(*client));
            queues += queues_of(*client).size();
        }
    }
    // If memory goes to the host, the program waits for it and so is off the device. It is not suspended as well: its
    // work must end before the memory moves.
    const bool away = suspend && memory;
    if (hold_clients(request, clients, queue_handle, suspend && !away) == 0)
        throw NobodyThere("it went away meanwhile: 'xcli list' shows what there is");
    if (queue_handle == 0) send_memory(request, clients, away);
    // The clients that the request names are connections of one process, so the first client's pid is that of all.
    const pid_t process = request.host.clients.at(clients.front())->pid();
    if (away)
        request.host.checkpoint.note_memory_away(process);
    else
        request.host.checkpoint.note_suspended(process, queue_handle, suspend);
    tell_log(request, suspend ? "suspends" : "resumes");
    Json answer{{"queues", queues}, {"later", !handle.has_value()}};
    if (!suspend) answer["was_suspended"] = was_suspended;
    return answer;
}

// Returns the request names of the hints that the policy reads. Null: it may read any.
Json hints_of(const policy::PolicyInfo& info) {
    const uint32_t read = info.hints;
    if (read == policy::kAnyHint) return {};
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

Json keep_order(const Request& request, int64_t pid, Json order) {
    Peer meant;
    const auto number = static_cast<pid_t>(pid);
    const bool there = start_of(number) != 0 && !status_of_dying(number) && identify_process(number, &meant);
    if (there) request.host.identities.settle(meant);
    const bool may_come = geteuid() == 0 || meant.uid == geteuid();  // to a user's own server only that user's
    if (!there || !((request.rules_server() && may_come) || meant.uid == request.asking.peer.uid))
        throw NobodyThere("no process " + std::to_string(pid) +
                          " is scheduled by this server, and you have none of that number that could be: 'xcli status' "
                          "shows those there are");
    const User& user = request.asking.user;
    order["owner"] = meant.uid;
    if (!request.host.orders.keep(number, user.uid(), user.trusted(), order))
        throw NotDone("orders for as many processes as you may give them wait already: process " + std::to_string(pid) +
                      " has to come first");
    const std::vector<ToolHost::Announced> announced = request.host.announced();
    const bool is_announced = std::any_of(announced.begin(), announced.end(),
                                          [number](const ToolHost::Announced& one) { return one.pid == number; });
    return {{"queues", 0}, {"later", true}, {"connected", false}, {"announced", is_announced}};
}

void tell_log(const Request& request, const char* what) {
    Json body = request.body;
    for (const char* of_the_tool : {"cmd", "typed"}) body.erase(of_the_tool);
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
        if (info == nullptr) throw ToolError(policy::no_such_policy(*name));
        request.order([info](dispatch::Dispatcher& dispatcher) { use_policy(dispatcher.core(), *info); });
        request.host.checkpoint.note_policy(info->name);
        request.host.notes.add(request.asking.peer, true, std::string("policy ") + info->name, base::now_ns());
        XLOG_INFO("using policy %s, as %s asked", info->name, name_of(request.asking.peer).c_str());
    }
    Json known = Json::array();
    for (const auto& info : policy::policies())
        known.push_back({{"name", info.name}, {"summary", info.summary}, {"hints", hints_of(info)}});
    Json answer{{"policy", request.host.scheduler.policy_name()}, {"policies", known}};
    const auto& limits = request.asking.user.shared();
    if (const int32_t highest = limits != nullptr ? limits->highest_priority.load() : PRIORITY_MAX;
        highest < PRIORITY_MAX)
        answer["highest_priority"] = highest;
    return answer;
}

// Changes the log level, and logs that at INFO in any case: a later reader should see why the log is short.
Json change_log_level(const Request& request) {
    if (const auto name = request.text("level")) {
        if (!request.rules_server())
            throw NotDone("only administrators may change what a system server logs" + who_administers());
        base::LogLevel level{};
        if (!base::find_log_level(name->c_str(), &level))
            throw ToolError("there is no log level \"" + *name + "\": use DEBG, INFO, WARN or ERRO" +
                            base::meant({"DEBG", "INFO", "WARN", "ERRO"}, *name));
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
