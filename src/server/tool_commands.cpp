// The commands that change something: policy, hint, config, suspend, resume.
#include "server/tool_commands.h"

#include "base/clock.h"
#include "base/hints.h"
#include "base/log.h"
#include "ipc/slot_hints.h"
#include "policy/policy.h"

namespace xsched::server {
namespace {

std::string policy_names() {
    std::string names;
    for (const auto& info : policy::policies()) names += (names.empty() ? "" : ", ") + std::string(info.name);
    return names;
}

// What somebody tells of a queue or process.
struct GivenHints {
    std::optional<int64_t> values[base::kHintCount];

    const std::optional<int64_t>& of(base::HintId id) const { return values[static_cast<size_t>(id)]; }
    // Without a queue or process that they are for.
    bool may_be_for_all() const {
        for (const base::HintInfo& hint : base::kHints)
            if (of(hint.id) && hint.scope != base::HintScope::kProcess) return false;
        return true;
    }
};

GivenHints read_hints(const Request& request) {
    GivenHints given;
    bool any = false;
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.request == nullptr) continue;
        auto& value = given.values[static_cast<size_t>(hint.id)] = request.number(hint.request, hint.least, hint.most);
        any |= value.has_value();
    }
    if (!any) throw ToolError("the hint is empty: give a priority (-p), a utilization (-u) or a timeslice (-t)");
    return given;
}

void write_hints(ipc::QueueSlot& slot, const GivenHints& given) {
    const int64_t now_ns = base::now_ns();
    for (const base::HintInfo& hint : base::kHints)
        if (const auto& told = given.of(hint.id)) ipc::store_hint(slot, hint.id, hint.kept(*told, now_ns));
}

// All queues of the client, and the priority also for those it makes later. Returns how many queues there are.
size_t hint_client(const Client& client, const GivenHints& given) {
    size_t count = 0;
    for (const SeenQueue& queue : queues_of(client)) {
        write_hints(queue.slot, given);
        ++count;
    }
    if (const auto& priority = given.of(base::HintId::priority)) {
        client.header().default_priority.store(static_cast<int32_t>(*priority));
        client.header().default_priority_set.store(1);
    }
    ipc::ring_directive(client.header());
    return count;
}

Json hold(const Request& request, bool held) {
    const auto handle = request.handle();
    const auto pid = request.pid();
    if (!handle && !pid) throw ToolError("say what: a process (PID) or a queue (-x QUEUE)");
    std::vector<uint32_t> clients;
    if (handle) {
        clients.push_back(named_queue(request, *handle).client.id());
    } else {
        for (const Client* client : named_clients(request, *pid)) clients.push_back(client->id());
    }
    // A queue that has just been made is known after a pass.
    request.order([&clients](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : clients) dispatcher.look_at(id);
    });
    size_t count = 0;
    const auto set = [&](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : clients) count += dispatcher.set_held(id, handle.value_or(0), held) ? 1 : 0;
    };
    request.order(set);
    for (const uint32_t id : clients)
        if (count != 0) request.host.checkpoint.note_held(request.host.clients.at(id)->pid(), handle.value_or(0), held);
    if (count == 0) throw NobodyThere("it went away meanwhile: 'xcli list' shows what there is");
    if (request.asking.user.may_log(base::now_ns()))
        XLOG_INFO("uid %u %s %s", request.asking.peer.uid, held ? "suspends" : "resumes", request.body.dump().c_str());
    return Json::object();
}

}  // namespace

Json query_or_set_policy(const Request& request) {
    if (const auto name = request.text("name")) {
        if (!request.rules_server())
            throw NotDone("only root and the server's own user may change the policy of a system server");
        const policy::PolicyInfo* info = policy::find_policy(name->c_str());
        if (info == nullptr) throw ToolError("there is no policy \"" + *name + "\": use one of " + policy_names());
        request.order([info](dispatch::Dispatcher& dispatcher) { dispatcher.core().set_policy(info->make()); });
        request.host.checkpoint.note_policy(info->name);
        XLOG_INFO("using policy %s, as uid %u asked", info->name, request.asking.peer.uid);
    }
    Json known = Json::array();
    for (const auto& info : policy::policies()) known.push_back({{"name", info.name}, {"summary", info.summary}});
    return {{"policy", request.host.scheduler.policy_name()}, {"policies", known}};
}

Json give_hint(const Request& request) {
    const GivenHints given = read_hints(request);
    const auto handle = request.handle();
    const auto pid = request.pid();
    size_t queues = 0;
    std::vector<uint32_t> hinted;
    const auto hint_all = [&](const Client& client) {
        queues += hint_client(client, given);
        hinted.push_back(client.id());
    };
    if (handle) {
        const SeenQueue queue = named_queue(request, *handle);
        write_hints(queue.slot, given);
        ipc::ring_directive(queue.client.header());
        hinted.push_back(queue.client.id());
        queues = 1;
    } else if (pid) {
        for (const Client* client : named_clients(request, *pid)) hint_all(*client);
    } else if (given.may_be_for_all()) {
        // A timeslice alone is for everybody who may be seen.
        for (const auto& [id, client] : request.host.clients)
            if (request.may_see(*client)) hint_all(*client);
    } else {
        throw ToolError("say whom the hint is for: a queue (-x QUEUE) or a process (--pid PID)");
    }
    request.order([&hinted](dispatch::Dispatcher& dispatcher) {  // in force when the answer comes
        for (const uint32_t id : hinted) dispatcher.look_at(id);
    });
    return {{"queues", queues}};
}

Json configure_queue(const Request& request) {
    const auto handle = request.handle();
    if (!handle) throw ToolError("say which queue: -x QUEUE");
    const auto level = request.number("level", kPreemptLevelBlock, kPreemptLevelInterrupt);
    const auto threshold = request.number("threshold", 1, 65535);
    const auto batch_size = request.number("batch_size", 1, 65535);
    if (!level && !threshold && !batch_size)
        throw ToolError("nothing to configure: give a level (-l), a threshold (-t) or a batch size (-b)");
    if (threshold && batch_size && *batch_size > *threshold)
        throw ToolError("the batch size " + std::to_string(*batch_size) + " is larger than the threshold " +
                        std::to_string(*threshold) + ": a batch is at most the threshold");
    const SeenQueue queue = named_queue(request, *handle);
    ipc::QueueSlot& slot = queue.slot;
    if (level && (slot.levels.load() & (1U << *level)) == 0)
        throw NotDone("this queue's hardware does not support preempt level " + std::to_string(*level) +
                      ": 'xcli list --json' shows its levels");
    // What is not given keeps what a person asked for before: the client may not have seen that yet.
    if (level) slot.want_level.store(static_cast<uint32_t>(*level));
    if (threshold) slot.want_threshold.store(static_cast<uint32_t>(*threshold));
    if (batch_size) slot.want_batch_size.store(static_cast<uint32_t>(*batch_size));
    slot.want_serial.fetch_add(1);
    ipc::ring_directive(queue.client.header());
    return Json::object();
}

Json suspend(const Request& request) { return hold(request, true); }
Json resume(const Request& request) { return hold(request, false); }

}  // namespace xsched::server
