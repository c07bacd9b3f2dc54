// Commands about hints and settings: hint, config. Given for a process, they also hold for queues that it creates
// later, and may be given before the process connects.
#include <algorithm>
#include <iterator>
#include <set>

#include "base/clock.h"
#include "base/hints.h"
#include "base/log.h"
#include "config/contradictions.h"
#include "config/hint_text.h"
#include "config/ignored.h"
#include "config/latency_target.h"
#include "ipc/slot_hints.h"
#include "policy/policy.h"
#include "server/tools/describing.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {
namespace {

// The hints in a request, for a queue or a process.
struct GivenHints {
    std::optional<int64_t> values[base::kHintCount];

    const std::optional<int64_t>& of(base::HintId id) const { return values[static_cast<size_t>(id)]; }
    // Returns whether the request may go to all processes, naming no queue or process.
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
        if (value && hint.kind == base::HintKind::kTarget && config::is_below_alone(*value))
            throw ToolError(hint.request + (" " + std::to_string(*value)) + " is to be " + config::wanted_of(hint));
        any |= value.has_value();
    }
    if (!any)
        throw ToolError(
            "the hint is empty: give a priority (-p), a share (--share) or another one ('xcli hint --help')");
    return given;
}

void write_hints(ipc::QueueSlot& slot, const GivenHints& given, int64_t now_ns) {
    for (const base::HintInfo& hint : base::kHints)
        if (const auto& told = given.of(hint.id)) ipc::store_hint(slot, hint.id, hint.kept(*told, now_ns));
}

// Gives the hints to all queues of the client, and to those that it creates later. Returns how many queues it has.
size_t hint_client(const Client& client, const GivenHints& given, int64_t now_ns) {
    size_t count = 0;
    for (const SeenQueue& queue : queues_of(client)) {
        write_hints(queue.slot, given, now_ns);
        ++count;
    }
    for (const base::HintInfo& hint : base::kHints)
        if (const auto& told = given.of(hint.id))
            ipc::store_default(client.header(), hint.id, hint.kept(*told, now_ns));
    ipc::ring_directive(client.header());
    return count;
}

Json order_of(const GivenHints& given, int64_t now_ns) {
    Json hints = Json::object();
    for (const base::HintInfo& hint : base::kHints)
        if (const auto& told = given.of(hint.id)) hints[hint.name] = hint.kept(*told, now_ns);
    return {{"hints", hints}};
}

// Returns the given hints that do not change who runs under the present policy, and under which policies they would.
Json unused_hints(const Request& request, const GivenHints& given) {
    Json unused = Json::array();
    for (const base::HintInfo& hint : base::kHints) {
        const std::optional<int64_t> value = given.of(hint.id);
        if (!value) continue;
        if (const auto others = config::unused_under(request.host.scheduler.policy_name(), hint, *value))
            unused.push_back({{"hint", hint.request}, {"used_by", *others}});
    }
    return unused;
}

// Returns the given hints that ask something of memory.
std::vector<const char*> memory_hints(const GivenHints& given) {
    std::vector<const char*> names;
    for (const base::HintInfo& hint : base::kHints)
        if (is_about_memory(hint) && given.of(hint.id).value_or(0) != 0) names.push_back(hint.request);
    return names;
}

// The bounds of a hint's effect on the programs that it is for.
struct Bounds {
    std::string policy;
    Client::Ceiling ceiling;
    std::set<std::string> without_memory;  // platforms
    bool together = false;  // the share of a user or control group counts
    std::set<std::string> contradictions;  // of given hints and others that the programs have

    void look_up(const Client& client, const GivenHints& given) {
        if (const Client::Ceiling its = client.ceiling(); its.priority < ceiling.priority) ceiling = its;
        together |= shares_together(client);
        if (!counts_memory(client)) without_memory.insert(platform_name(platform_of(client)));
        GivenHints all;
        const base::Hints hints = hints_of(client, queues_of(client));
        for (const base::HintInfo& hint : base::kHints)
            all.values[static_cast<size_t>(hint.id)] = base::get_hint(hints, hint.id);
        look_for_contradictions(all, given);
    }
    // Leaves out that background takes a priority's effect away where the policy reads no priority: unused_hints tells
    // that.
    void look_for_contradictions(const GivenHints& all, const GivenHints& given) {
        for (const config::Contradiction& one : config::contradictions(all.values))
            if ((given.of(one.one) || given.of(one.other)) &&
                (one.other != base::HintId::background ||
                 !config::read_by_others(policy, base::hint_info(base::HintId::priority))))
                contradictions.insert(one.sentence);
    }
    void tell(Json& answer, const GivenHints& given) const {
        if (const auto& priority = given.of(base::HintId::priority); priority && *priority > ceiling.priority)
            answer["highest_priority"] = ceiling.priority;
        if (together && given.of(base::HintId::share).value_or(0) != 0)
            answer["together"] = Json::array({base::hint_info(base::HintId::share).request});
        for (const char* hint : memory_hints(given))
            for (const std::string& platform : without_memory)
                answer["no_memory"].push_back({{"hint", hint}, {"platform", platform}});
        if (!contradictions.empty()) answer["contradictions"] = contradictions;
    }
};

struct Settings {
    std::optional<int64_t> level;
    std::optional<int64_t> threshold;
    std::optional<int64_t> batch_size;

    Json order() const {
        Json order = Json::object();
        if (level) order["level"] = *level;
        if (threshold) order["threshold"] = *threshold;
        if (batch_size) order["batch_size"] = *batch_size;
        return order;
    }
};

// Refuses a batch that is larger than the threshold. A setting that is not given is as it is `now`; 0: chosen by the
// queue. `whose`: of which queue they are; empty: of the request.
void check_batch(const Settings& given, int64_t threshold_now, int64_t batch_size_now, const std::string& whose) {
    const int64_t threshold = given.threshold.value_or(threshold_now);
    const int64_t batch_size = given.batch_size.value_or(batch_size_now);
    if ((!given.threshold && !given.batch_size) || threshold == 0 || batch_size <= threshold) return;
    throw ToolError("the batch size " + std::to_string(batch_size) + " is larger than the threshold " +
                    std::to_string(threshold) + whose + ": a batch is at most the threshold" +
                    (whose.empty() ? "" : ", so give both"));
}

Settings read_settings(const Request& request) {
    const Settings given{request.number("level", kPreemptLevelBlock, kPreemptLevelInterrupt),
                         request.number("threshold", 1, 65535), request.number("batch_size", 1, 65535)};
    if (!given.level && !given.threshold && !given.batch_size)
        throw ToolError("nothing to configure: give a level (-l), a threshold (--threshold) or a batch size (-b)");
    check_batch(given, 0, 0, "");
    return given;
}

// Refuses settings that the queue cannot have, or cannot have beside those that it has.
void check_settings(const SeenQueue& queue, const Settings& given) {
    check_batch(given, queue.slot.threshold.load(), queue.slot.batch_size.load(),
                " of queue " + std::to_string(queue.client.pid()) + "." + std::to_string(queue.number()));
    if (given.level && (queue.slot.levels.load() & (1U << *given.level)) == 0)
        throw NotDone("queue " + std::to_string(queue.client.pid()) + "." + std::to_string(queue.number()) +
                      " has no preempt level " + std::to_string(*given.level) +
                      ": its device lacks it, or its program had to be started with it (xcli run --level " +
                      std::to_string(*given.level) + "); 'xcli list --json' shows its levels");
}

// Writes the settings. A setting that is not given keeps its last requested value, which the client may not have taken
// over yet.
void write_settings(const SeenQueue& queue, const Settings& given) {
    ipc::QueueSlot& slot = queue.slot;
    if (given.level) slot.want_level.store(static_cast<uint32_t>(*given.level));
    if (given.threshold) slot.want_threshold.store(static_cast<uint32_t>(*given.threshold));
    if (given.batch_size) slot.want_batch_size.store(static_cast<uint32_t>(*given.batch_size));
    slot.want_serial.fetch_add(1);
    ipc::ring_directive(queue.client.header());
}

Json configure_process(const Request& request, int64_t pid, const Settings& given) {
    if (!has_clients(request, pid)) return keep_order(request, pid, given.order());
    size_t count = 0;
    const auto clients = named_clients(request, pid);
    for (const Client* client : clients) {
        for (const SeenQueue& queue : queues_of(*client)) check_settings(queue, given);
        check_batch(given, client->header().default_threshold.load(), client->header().default_batch_size.load(),
                    " of process " + std::to_string(pid));
    }
    for (const Client* client : clients) {
        for (const SeenQueue& queue : queues_of(*client)) {
            write_settings(queue, given);
            ++count;
        }
        write_defaults(client->header(), given.order());
    }
    return {{"queues", count}, {"later", true}};
}

}  // namespace

Json give_hint(const Request& request) {
    const GivenHints given = read_hints(request);
    const auto handle = request.handle();
    const auto pid = request.pid();
    const int64_t now_ns = base::now_ns();
    Json answer{{"queues", 0}, {"later", !handle.has_value()}};
    size_t queues = 0;
    std::vector<uint32_t> hinted;
    Bounds bounds{.policy = request.host.scheduler.policy_name()};
    const auto hint_all = [&](const Client& client) {
        queues += hint_client(client, given, now_ns);
        bounds.look_up(client, given);
        hinted.push_back(client.id());
    };
    if (handle) {
        const SeenQueue queue = named_queue(request, *handle);
        write_hints(queue.slot, given, now_ns);
        bounds.look_up(queue.client, given);
        ipc::ring_directive(queue.client.header());
        hinted.push_back(queue.client.id());
        queues = 1;
    } else if (pid && !has_clients(request, *pid)) {
        answer = keep_order(request, *pid, order_of(given, now_ns));
        bounds.look_for_contradictions(given, given);
    } else if (pid) {
        for (const Client* client : named_clients(request, *pid)) hint_all(*client);
    } else if (given.may_be_for_all()) {
        // A request that sets only a timeslice may name no process: it goes to every client that the asking user may
        // see.
        for (const auto& [id, client] : request.host.clients)
            if (request.may_see(*client)) hint_all(*client);
    } else {
        throw ToolError(kNoTarget);
    }
    request.order([&hinted](dispatch::Dispatcher& dispatcher) {  // the hints are in force when the answer comes
        for (const uint32_t id : hinted) dispatcher.look_at(id);
    });
    tell_log(request, "hints");
    answer["queues"] = queues;
    answer["policy"] = request.host.scheduler.policy_name();
    answer["unused"] = unused_hints(request, given);
    bounds.tell(answer, given);
    return answer;
}

Json configure_queue(const Request& request) {
    const auto handle = request.handle();
    const auto pid = request.pid();
    if (!handle && !pid) throw ToolError(kNoTarget);
    const Settings given = read_settings(request);
    Json answer{{"queues", 1}, {"later", false}};
    if (handle) {
        const SeenQueue queue = named_queue(request, *handle);
        check_settings(queue, given);
        write_settings(queue, given);
    } else {
        answer = configure_process(request, *pid, given);
    }
    tell_log(request, "configures");
    return answer;
}

}  // namespace xsched::server
