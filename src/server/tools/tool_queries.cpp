// Commands that only read: list, status, server.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/hints.h"
#include "base/short_name.h"
#include "base/time.h"
#include "ipc/slot_hints.h"
#include "server/supervisor.h"
#include "server/tools/describing.h"
#include "server/tools/facts.h"
#include "server/tools/other_users.h"
#include "server/tools/state.h"
#include "server/tools/tool_commands.h"
#include "server/tools/unconnected.h"

namespace xsched::server {
namespace {

using base::milliseconds;

// Subtracts counters that are read one after the other while they change, and whose writer is not trusted: never below
// zero.
uint64_t difference(uint64_t more, uint64_t less) { return more > less ? more - less : 0; }

// Most queues in one answer; "next" says where the following answer begins.
constexpr size_t kMostInPage = 256;
constexpr size_t kMostExplanations = 64;  // of one process

// Adds the queue's hints. A hostile client may write any number.
void add_hints(Json& entry, const ipc::QueueSlot& slot, int64_t now_ns) {
    const base::Hints hints = ipc::load_hints(slot);
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.listed == nullptr) continue;
        const int64_t told = hint.told(base::get_hint(hints, hint.id), now_ns);
        entry[hint.listed] = hint.kind == base::HintKind::kName ? Json(base::name_of_number(told)) : Json(told);
    }
}

// Adds how much of its device the queue's program used in the last second, 10 and 60 seconds.
void add_use(Json& entry, const Request& request, const AskedFor& asked, const SeenQueue& queue,
             const Explanation& why) {
    const uint64_t device = queue.slot.device.load();
    Json got = Json::array();
    for (const int64_t seconds : kWindowsS) {
        const auto percent = request.host.use.percent(queue.client.process(), device, seconds);
        got.push_back(percent ? Json(*percent) : Json());
    }
    entry["got_percent"] = got;
    const auto lately = request.host.use.percent(queue.client.process(), device, 10);
    entry["why_less"] = why_less(request, asked, queue, why, lately);
}

Json levels_of(const ipc::QueueSlot& slot) {
    Json levels = Json::array();
    for (unsigned level = kPreemptLevelBlock; level <= kPreemptLevelInterrupt; ++level)
        if ((slot.levels.load() & 1U << level) != 0) levels.push_back(level);
    return levels;
}

// Returns the mechanism beyond the gate or hold, which is closed in any case.
sched::Mechanism in_force(const QueueFacts& known) {
    return known.suspended ? std::max(known.mechanism, sched::Mechanism::kGate) : known.mechanism;
}

// Describes the queue's commands: how many the program launched, and how many are done.
Json describe_commands(const ipc::QueueSlot& slot) {
    const uint64_t submitted = slot.submitted.load();
    const uint64_t launched = slot.launched.load();
    const uint64_t completed = ipc::completed_commands(slot);
    return {{"submitted", submitted},
            {"pending", difference(submitted, launched)},
            {"in_flight", difference(launched, completed)},
            {"completed", completed},
            {"copies", slot.copies.load()},
            {"copied_bytes", slot.copied_bytes.load()},
            {"command_ms", milliseconds(slot.command_ns.load())},
            {"busy_ms", milliseconds(slot.busy_ns.load())}};
}

// Describes a suspension: how, why and for which program, and for how long.
Json describe_suspension(const ipc::QueueSlot& slot, const QueueFacts& known, const Explanation& why, int64_t now_ns) {
    const bool held_now = why.ready && why.suspended && why.since_ns > 0;
    return {{"suspended", why.suspended},
            {"interrupted", ipc::is_off(slot)},
            {"slowed", ipc::is_slowed(slot)},
            {"mechanism", ipc::is_slowed(slot) ? "slowed" : mechanism_word(in_force(known), slot.platform.load())},
            {"kept_off", describe_kept_off(known, slot.platform.load())},
            {"running_ms", milliseconds(known.running_ns)},
            {"held_ms", milliseconds(known.delayed_ns)},
            {"idle_ms", milliseconds(known.idle_ns)},
            {"held_now_ms", held_now ? milliseconds(std::max<int64_t>(now_ns - why.since_ns, 0)) : 0.0},
            {"reason", why.reason},
            {"policy_says", why.note},
            {"by_pid", why.by_pid},
            {"since_ms", why.since_ns > 0 ? milliseconds(now_ns - why.since_ns) : 0.0},
            {"preemptions", known.preemptions}};
}

// Returns what level 3 costs for the queue's process (taking it off the device); null: it has no such level.
Json costs_of(const SeenQueue& queue) {
    const dispatch::QueueRecord* record = queue.client.record()->find(queue.at);
    if (record == nullptr || record->off_us.load() == 0) return nullptr;
    return {{"switch_us", record->switch_us.load()},
            {"off_us", record->off_us.load()},
            {"calls_us", record->interrupt_us.load()}};
}

// Adds the memory of the queue's program. The entry has the queue's own hints already.
void add_memory(Json& entry, const Client& client) {
    const Json memory = describe_memory(client);
    for (const char* key : {"memory_on_card", "memory_on_host", "memory_swaps", "memory_waited_ms"})
        entry[key] = memory[key];
    const bool counts = counts_memory(client);
    const auto hinted = [&](const char* key) { return counts ? entry[key].get<uint64_t>() : 0; };
    const auto known = [&](const char* key) { return memory[key].get<uint64_t>(); };
    entry["memory_limit"] = ipc::least_limit(hinted("memory_limit"), known("memory_limit"));
    entry["memory_guarantee"] = std::max(hinted("memory_guarantee"), known("memory_guarantee"));
}

Json describe_queue(const Request& request, const Facts& facts, const AskedFor& asked, const SeenQueue& queue,
                    int64_t now_ns) {
    ipc::QueueSlot& slot = queue.slot;
    const QueueFacts known = facts.of(queue);
    const Explanation why = explain(queue, known);
    Json entry{{"pid", queue.client.pid()},
               {"uid", queue.client.peer().told_uid},
               {"client", queue.client.id()},
               {"program", queue.client.program()},
               {"queue", queue.number()},
               {"level", slot.level.load()},
               {"levels", levels_of(slot)},
               {"level_pauses", why.level_pauses},
               {"threshold", slot.threshold.load()},
               {"batch_size", slot.batch_size.load()},
               {"state", base::word_of(state_of(facts, queue.client, {queue}))},
               {"device_timeslice_us", slot.device_timeslice_us.load()},
               {"explanation", sentence(request, why, now_ns)}};
    entry.update(describe_commands(slot));
    entry.update(describe_suspension(slot, known, why, now_ns));
    add_device(request, entry, queue.client, slot.device.load(), slot.platform.load());
    entry["costs"] = costs_of(queue);
    add_hints(entry, slot, now_ns);
    entry.update(describe_hints(request, queue.client, {queue}, now_ns));
    add_memory(entry, queue.client);
    add_group(entry, queue.client);
    add_use(entry, request, asked, queue, why);
    return entry;
}

// "priority 50, of which a limit leaves 3", "in the background"
std::string priority_text(const Client& client, const SeenQueue& queue) {
    if (queue.slot.background.load() != 0) return "in the background";
    const int32_t priority = queue.slot.priority.load();
    const int32_t counts = client.ceiling().priority;
    return "priority " + std::to_string(priority) +
           (counts < priority ? ", of which a limit leaves " + std::to_string(counts) + "," : "");
}

Json describe_process(const Request& request, const Facts& facts, const Client& client,
                      const std::vector<SeenQueue>& queues, int64_t now_ns) {
    Json explanations = Json::array();
    std::set<std::string> known;
    std::set<std::string> gangs;
    Json costs;
    int64_t delayed_ns = 0;
    uint64_t preemptions = 0;
    uint64_t completed = 0;
    for (const SeenQueue& queue : queues) {
        const QueueFacts queue_facts = facts.of(queue);
        const Explanation why = explain(queue, queue_facts);
        completed += ipc::completed_commands(queue.slot);
        delayed_ns = std::max(delayed_ns, queue_facts.delayed_ns);
        preemptions = std::max(preemptions, queue_facts.preemptions);
        if (costs.is_null()) costs = costs_of(queue);
        const int64_t gang = queue.slot.gang.load();
        if (gang > 0 && gang < base::kMostNames && gangs.size() < kMostExplanations)
            gangs.insert(base::name_of_number(gang));
        if (known.size() >= kMostExplanations) continue;
        const std::string text = priority_text(client, queue) + " on " +
                                 device_text(request, client, queue.slot.device.load()) + " " +
                                 sentence(request, why, now_ns);
        if (known.insert(text).second) explanations.push_back(text);
    }
    if (client.memory_by_driver)
        explanations.push_back("its memory is on the host, moved by the driver's checkpoint, until 'xcli resume " +
                               std::to_string(client.pid()) + "'");
    completed += gone_of(client).completed;
    const Json hints = describe_hints(request, client, queues, now_ns);
    return {{"pid", client.pid()},
            {"uid", client.peer().told_uid},
            {"client", client.id()},
            {"program", client.program()},
            {"queues", queues.size()},
            {"state", base::word_of(state_of(facts, client, queues))},
            {"completed", completed},
            {"hints_in_force", hints["hints_in_force"]},
            {"hints_ignored", hints["hints_ignored"]},
            {"gangs", gangs},
            {"costs", costs},
            {"explanations", explanations},
            {"delayed_ms", milliseconds(delayed_ns)},
            {"caused_ms", milliseconds(facts.caused_ns(client))},
            {"preemptions", preemptions}};
}

// Adds sentences about the devices of these programs: "crowded_devices" are those on which all programs have more
// queues in the kernel driver than the hardware takes at once, "shared_devices" those that other users' programs use.
void add_about_devices(const Request& request, std::optional<int64_t> pid, int64_t now_ns, Json& answer) {
    Json crowded = Json::array();
    Json shared = Json::array();
    const OtherUsers others(request);
    const bool any_crowded = request.host.driver_queues.any_take_turns(now_ns);
    std::set<uint64_t> told;
    for (const auto& [id, client] : request.host.clients) {
        if (!request.may_see(*client) || (pid && client->pid() != *pid)) continue;
        for (const SeenQueue& queue : queues_of(*client)) {
            const uint64_t device = queue.slot.device.load();
            if (!told.insert(device).second) continue;
            if (const std::string use = others.text(device); !use.empty())
                shared.push_back(device_text(request, *client, device) + ": " + use);
            const hip::KernelQueues* node = any_crowded ? request.host.driver_queues.of(device, now_ns) : nullptr;
            if (node == nullptr || !node->take_turns()) continue;
            crowded.push_back(device_text(request, *client, device) + " " +
                              hip::turns_text(node->queues, node->at_once) + "; " + hip::kFewerQueues);
        }
    }
    answer["crowded_devices"] = std::move(crowded);
    answer["shared_devices"] = std::move(shared);
}

// The position in a list: a client's id above, a slot below.
struct Cursor {
    uint32_t client = 0;
    uint32_t slot = 0;
    uint64_t number() const { return uint64_t{client} * ipc::kMostQueues + slot; }
};

Cursor cursor_of(const Request& request) {
    const auto number = request.number("cursor", 0, int64_t{UINT32_MAX} * ipc::kMostQueues);
    if (!number) return {};
    return {static_cast<uint32_t>(*number / ipc::kMostQueues), static_cast<uint32_t>(*number % ipc::kMostQueues)};
}

}  // namespace

Json list_queues(const Request& request) {
    const int64_t now = base::now_ns();
    const Cursor begin = cursor_of(request);
    const Facts facts(request, begin.client, kMostInPage);
    const AskedFor asked = shares_of_all(request);
    request.host.use.begin(now);
    Json queues = Json::array();
    Json answer{{"policy", request.host.scheduler.policy_name()}};
    const auto& clients = request.host.clients;
    for (auto at = clients.lower_bound(begin.client); at != clients.end() && !answer.contains("next"); ++at) {
        if (!request.may_see(*at->second)) continue;
        for (const SeenQueue& queue : queues_of(*at->second)) {
            if (at->first == begin.client && queue.at < begin.slot) continue;
            if (queues.size() >= kMostInPage) {
                answer["next"] = Cursor{at->first, queue.at}.number();
                break;
            }
            queues.push_back(describe_queue(request, facts, asked, queue, now));
        }
    }
    answer["queues"] = queues;
    return answer;
}

Json explain_status(const Request& request) {
    const int64_t now = base::now_ns();
    const auto pid = request.pid();
    if (pid) named_clients(request, *pid);
    request.host.use.begin(now);
    const Facts facts(request, cursor_of(request).client, kMostInPage);
    Json processes = Json::array();
    Json answer{{"policy", request.host.scheduler.policy_name()}};
    size_t told = 0;
    const auto& clients = request.host.clients;
    for (auto at = clients.lower_bound(cursor_of(request).client); at != clients.end(); ++at) {
        const Client& client = *at->second;
        if (!request.may_see(client) || (pid && client.pid() != *pid)) continue;
        const auto queues = queues_of(client);
        if (told > 0 && told + std::max<size_t>(queues.size(), 1) > kMostInPage) {
            answer["next"] = Cursor{at->first, 0}.number();
            break;
        }
        told += std::max<size_t>(queues.size(), 1);
        processes.push_back(describe_process(request, facts, client, queues, now));
    }
    answer["processes"] = processes;
    if (!request.body.contains("cursor")) add_about_devices(request, pid, now, answer);
    if (!pid) answer["not_connected"] = not_connected(request);
    if (!pid) answer["ended_unused"] = ended_unused(request);
    if (!pid) answer["blind_spots"] = blind_spots();
    return answer;
}

Json describe_server(const Request& request) {
    const Options& options = request.host.options;
    const SupervisedMemory* supervised = options.supervised;
    return {{"pid", getpid()},
            {"version", XSCHED_VERSION},
            {"protocol", ipc::kVersion},
            {"socket", options.socket},
            {"guest_socket", options.guest_socket},
            {"guest", request.asking.peer.guest},
            {"scope", options.scope == ipc::SocketScope::kSystem ? "system" : "user"},
            {"policy", request.host.scheduler.policy_name()},
            {"supervisor", supervised != nullptr ? supervised->supervisor : 0},
            {"restarts", supervised != nullptr ? supervised->restarts : 0},
            {"clients", request.host.clients.size()},
            {"blind_spots", blind_spots()},
            {"uptime_s", static_cast<double>(base::now_ns() - request.host.started_ns) / base::kSecond},
            {"idle_exit_s", options.idle_exit_ns / base::kSecond},
            {"starvation_limit_ms", options.starvation_limit_ns / base::kMillisecond},
            {"spin_us", options.spin_ns / base::kMicrosecond}};
}

Json expect_program(const Request& request) {
    const Asking& asking = request.asking;
    if (!request.host.expect(asking.peer, asking.connection, asking.user))
        throw NotDone("the server cannot wait for process " + std::to_string(asking.peer.pid) +
                      ": it may leave before the program's first use of the device");
    return Json::object();
}

}  // namespace xsched::server
