// The command behind xcli explain, top and metrics: each program with its requests and its use of devices. It says how
// long the program was held in the last second, 10 and 60 seconds, for whom and how. Front thread; does not ask the
// scheduling thread.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/capped.h"
#include "base/histogram.h"
#include "base/time.h"
#include "server/supervisor.h"
#include "server/tools/describing.h"
#include "server/tools/facts.h"
#include "server/tools/other_users.h"
#include "server/tools/program_lengths.h"
#include "server/tools/state.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {
namespace {

using base::milliseconds;

constexpr size_t kMostPrograms = 64;
constexpr size_t kMostTold = 8;  // most causes, and most victims, that are shown for one program

auto find_gone(const Request& request, uint32_t client) {
    return std::find_if(request.host.gone.begin(), request.host.gone.end(),
                        [client](const GoneClients::Gone& one) { return one.id == client; });
}

// Returns the platform of a client's queues, also of one that is gone.
uint32_t platform_by_id(const Request& request, uint32_t client) {
    const auto here = request.host.clients.find(client);
    if (here != request.host.clients.end()) return platform_of(*here->second);
    const auto gone = find_gone(request, client);
    return gone != request.host.gone.end() ? gone->platform : uint32_t{kPlatformUnknown};
}

// Adds the number and name of a program, and whether it has ended. Those of other users' programs are left out.
void add_program(const Request& request, Json& entry, uint32_t client) {
    if (client == 0) return void(entry["program"] = "");
    const bool ended = !request.host.clients.contains(client);
    if (ended) entry["ended"] = true;
    const auto gone = find_gone(request, client);
    const HoldBook::Known* known = request.host.holds.find(client);
    if (known != nullptr && request.may_see(known->uid, known->user)) {
        entry["pid"] = known->pid;
        entry["program"] = known->program;
        entry["priority"] = known->priority;
    } else if (known == nullptr && gone != request.host.gone.end() && request.may_see(gone->uid, gone->user)) {
        entry["pid"] = gone->pid;
        entry["program"] = gone->program;
    } else {
        entry["program"] = ended ? "a program that has ended" : "another user's program";
    }
}

// Adds how many holds one cause had, their time in all, the longest one, and the mechanism. `platform`: the held
// program's, which decides the mechanism's name.
void add_sum(Json& entry, const HoldBook::Sum& sum, uint32_t platform) {
    entry["holds"] = sum.holds;
    entry["ms"] = milliseconds(sum.ns);
    entry["longest_ms"] = milliseconds(sum.longest_ns);
    entry["earlier_policy"] = sum.earlier_policy;
    entry["mechanism"] = mechanism_word(sum.cause.mechanism, platform);
}

Json describe_held(const Request& request, const Client& client, int64_t seconds, int64_t now_ns) {
    const auto sums = request.host.holds.held(client.id(), seconds * base::kSecond, now_ns);
    HoldBook::Sum all;
    Json by = Json::array();
    for (const HoldBook::Sum& sum : sums) {
        all.holds += sum.holds;
        all.ns += sum.ns;
        all.longest_ns = std::max(all.longest_ns, sum.longest_ns);
        if (by.size() >= kMostTold) continue;
        const sched::Reason reason =
            sum.earlier_policy ? sum.cause.reason : reason_told(request.host.scheduler.policy_name(), sum.cause.reason);
        Json entry{{"reason", word_of(sched::reason_name(reason))}, {"why", sched::reason_sentence(reason)}};
        add_sum(entry, sum, platform_of(client));
        entry["ago_ms"] = milliseconds(std::max<int64_t>(now_ns - sum.end_ns, 0));
        if (sum.cause.by_client != 0) add_program(request, entry, sum.cause.by_client);
        entry["itself"] = sum.cause.by_client == client.id();
        by.push_back(entry);
    }
    return {{"seconds", seconds},
            {"holds", all.holds},
            {"ms", milliseconds(all.ns)},
            {"longest_ms", milliseconds(all.longest_ns)},
            {"by", by}};
}

Json describe_cost(const Request& request, const Client& client, int64_t seconds, int64_t now_ns) {
    Json victims = Json::array();
    for (const HoldBook::Cost& cost : request.host.holds.caused(client.id(), seconds * base::kSecond, now_ns)) {
        if (victims.size() >= kMostTold) break;
        Json entry = Json::object();
        add_sum(entry, cost.sum, platform_by_id(request, cost.client));
        add_program(request, entry, cost.client);
        victims.push_back(entry);
    }
    return {{"seconds", seconds}, {"victims", victims}};
}

// Adds the program's requests: the most urgent of its queues speaks for all. Without a queue: those for its first one.
void add_asked(Json& entry, const Client& client, const std::vector<SeenQueue>& queues) {
    const base::Hints none = queues.empty() ? hints_of(client, queues) : base::Hints{};
    int32_t priority = queues.empty() ? none.priority : PRIORITY_NO_EXECUTE;
    int32_t share = none.share;
    int32_t limit = none.limit;
    int64_t target = none.slo_p99;
    uint32_t level = 0;
    uint32_t levels = ~0U;
    bool slowed = false;
    std::string pauses;
    for (const SeenQueue& queue : queues) {
        priority = std::max(priority, std::clamp(queue.slot.priority.load(), PRIORITY_NO_EXECUTE, PRIORITY_MAX));
        share = std::max(share, std::clamp(queue.slot.share.load(), 0, 100));
        const int32_t own_limit = std::clamp(queue.slot.limit.load(), 0, 100);
        limit = limit == 0 || own_limit == 0 ? std::max(limit, own_limit) : std::min(limit, own_limit);
        level = std::max(level, std::min(queue.slot.level.load(), uint32_t{kPreemptLevelInterrupt}));
        levels &= queue.slot.levels.load();
        slowed |= ipc::is_slowed(queue.slot);
        if (target == 0) target = queue.slot.slo_p99.load();
        if (pauses.empty()) pauses = level_pauses(queue.slot);
    }
    uint32_t best = 0;
    for (uint32_t i = kPreemptLevelBlock; i <= kPreemptLevelInterrupt; ++i)
        if ((levels & 1U << i) != 0) best = i;
    entry["priority"] = priority;
    entry["share"] = share;
    entry["limit"] = limit;
    entry["slo_p99"] = target;
    entry["level"] = level;
    entry["level_pauses"] = pauses;
    entry["slowed"] = slowed;
    entry["best_level"] = queues.empty() ? 0 : best;
}

// The work of all queues of a program, and their present states.
struct Work {
    uint64_t submitted = 0, launched = 0, completed = 0;
    uint64_t copies = 0, copied_bytes = 0;
    int64_t busy_ns = 0;
    int64_t command_ns = 0;  // the longest mean
    int64_t held_since_ns = 0;
    bool runs = false, held = false, followed = false, by_itself = false, stands = false;
};

void add_queue(Work& work, const SeenQueue& queue, const QueueFacts& known) {
    const ipc::QueueSlot& slot = queue.slot;
    const ipc::SlotWork pending = server::work_of(queue);
    work.submitted += pending.submitted;
    work.launched += slot.launched.load();
    work.completed += pending.completed;
    work.copies = base::capped_sum(work.copies, slot.copies.load());
    work.copied_bytes = base::capped_sum(work.copied_bytes, slot.copied_bytes.load());
    work.busy_ns = base::capped_sum(work.busy_ns, std::max<int64_t>(slot.busy_ns.load(), 0));
    work.command_ns = std::max(work.command_ns, slot.command_ns.load());
    const bool ready = pending.ready;
    work.stands |= pending.stands;
    if (ready && known.suspended) work.held_since_ns = std::max(work.held_since_ns, known.since_ns);
    work.runs |= ready && !known.suspended;
    work.held |= ready && known.suspended;
    work.followed |= known.watched;
    work.by_itself |= slot.api_suspended.load() != 0;
}

Work work_of(const Facts& facts, const Client& client, const std::vector<SeenQueue>& queues) {
    const Gone gone = gone_of(client);
    Work work{.submitted = gone.completed,
              .launched = gone.completed,
              .completed = gone.completed,
              .copies = gone.copies,
              .copied_bytes = gone.copied_bytes,
              .busy_ns = gone.busy_ns};
    for (const SeenQueue& queue : queues) add_queue(work, queue, facts.of(queue));
    return work;
}

// Describes how the program was kept off, by its queue that was kept off most often.
Json describe_kept_off(const Facts& facts, const std::vector<SeenQueue>& queues) {
    QueueFacts most;
    uint32_t platform = 0;
    for (const SeenQueue& queue : queues) {
        const QueueFacts known = facts.of(queue);
        if (known.kept_off_by == sched::Mechanism::kNone || known.preemptions < most.preemptions) continue;
        most = known;
        platform = queue.slot.platform.load();
    }
    return describe_kept_off(most, platform);
}

void add_work(Json& entry, const Work& work) {
    const int64_t held_ns = work.held_since_ns > 0 ? std::max<int64_t>(base::now_ns() - work.held_since_ns, 0) : 0;
    entry["held_since_ms"] = milliseconds(held_ns);
    entry["followed"] = work.followed;
    entry["suspended_by_itself"] = work.by_itself;
    entry["waits_for_host"] = work.stands && !work.runs && !work.held;
    entry["submitted"] = work.submitted;
    entry["pending"] = work.submitted - std::min(work.submitted, work.launched);
    entry["in_flight"] = work.launched - std::min(work.launched, work.completed);
    entry["completed"] = work.completed;
    entry["copies"] = work.copies;
    entry["copied_bytes"] = work.copied_bytes;
    entry["busy_ms"] = milliseconds(work.busy_ns);
    entry["command_ms"] = milliseconds(std::clamp<int64_t>(work.command_ns, 0, base::HistogramBuckets::kMostNs));
}

// Describes the copies of the last ten seconds; null: not known, or no commands were given to the device.
Json describe_copies(const DeviceUse& use, const Client& client, uint64_t device) {
    const auto lately = use.copies(client.process(), device, 10);
    if (!lately || lately->commands == 0)
        return {{"copies_percent", nullptr}, {"copy_bytes", nullptr}, {"copied_bytes_per_s", nullptr}};
    const auto whole = static_cast<double>(lately->commands);
    const double part = std::min(static_cast<double>(lately->copies) / whole, 1.0);
    return {{"copies_percent", 100 * part},
            {"copy_bytes", lately->copies == 0 ? 0 : lately->bytes / lately->copies},
            {"copied_bytes_per_s", std::round(static_cast<double>(lately->bytes) / lately->seconds)}};
}

// Returns how many compute queues all programs together have in AMD's kernel driver, and how many queues the hardware
// takes at once. Both are null for devices of other drivers, and if the driver does not tell.
Json describe_driver_queues(const Request& request, uint64_t device, int64_t now_ns) {
    const hip::KernelQueues* node = request.host.driver_queues.of(device, now_ns);
    if (node == nullptr) return {{"driver_queues", nullptr}, {"most_driver_queues", nullptr}};
    return {{"driver_queues", node->queues}, {"most_driver_queues", node->at_once}};
}

// Sums over all programs, for one answer.
struct Sums {
    AskedFor asked;
    OtherUsers others;
};

// Describes, by device, how much the program had of it, and why that is less than its share.
Json describe_devices(const Request& request, const Facts& facts, const Sums& sums, const Client& client,
                      const std::vector<SeenQueue>& queues, int64_t now_ns) {
    Json devices = Json::array();
    std::set<uint64_t> told;
    for (const SeenQueue& queue : queues) {
        const uint64_t device = queue.slot.device.load();
        if (!told.insert(device).second) continue;
        Json got = Json::array();
        for (const int64_t seconds : kWindowsS) {
            const auto percent = request.host.use.percent(client.process(), device, seconds);
            got.push_back(percent ? Json(*percent) : Json());
        }
        const auto lately = request.host.use.percent(client.process(), device, 10);
        const Explanation why = explain(queue, facts.of(queue));
        Json entry{{"got_percent", got},
                   {"share_worth", describe_worth(request, sums.asked, queue)},
                   {"why_less", why_less(request, sums.asked, queue, why, lately)},
                   {"policy_says", why.note}};
        entry.update(describe_copies(request.host.use, client, device));
        entry.update(describe_driver_queues(request, device, now_ns));
        entry.update(sums.others.describe(device));
        add_device(request, entry, client, device, queue.slot.platform.load());
        devices.push_back(std::move(entry));
    }
    return devices;
}

// Adds the program's work as this run has shown it, or otherwise as its last run did, or as it is assumed.
void add_work_shown(const Request& request, Json& entry, const Client& client) {
    const ProgramWork shown = shown_work(*client.record());
    const ProgramWork kept = request.host.habits.work_of(client.user().uid(), client.program());
    entry["work"] = work_json(!shown.known() && kept.known() ? kept : shown);
}

Json describe(const Request& request, const Facts& facts, const Sums& sums, const Client& client, bool whole,
              int64_t now_ns) {
    const auto queues = queues_of(client);
    Json entry{{"pid", client.pid()},
               {"uid", client.peer().told_uid},
               {"client", client.id()},
               {"program", client.program()},
               {"queues", queues.size()},
               {"unscheduled", client.record()->unscheduled.load()},
               {"stopped", facts.stopped(client)},
               {"lost_claim", client.record()->lost_claim.load() != 0},
               {"devices", describe_devices(request, facts, sums, client, queues, now_ns)},
               {"caused_ms", milliseconds(facts.caused_ns(client))}};
    entry.update(describe_preemptions(client, platform_of(client)));
    entry.update(describe_memory(client));
    add_group(entry, client);
    const HoldBook::Sum held = request.host.holds.all(client.id());
    entry["held_ms"] = milliseconds(held.ns);
    entry["holds"] = held.holds;
    add_asked(entry, client, queues);
    entry.update(describe_hints(request, client, queues, now_ns));
    add_work(entry, work_of(facts, client, queues));
    entry["state"] = base::word_of(state_of(facts, client, queues));
    entry["kept_off"] = describe_kept_off(facts, queues);
    add_lengths(entry, client, whole);
    if (request.body.value("work", false)) add_work_shown(request, entry, client);
    for (const int64_t seconds : kWindowsS) {
        entry["held"].push_back(describe_held(request, client, seconds, now_ns));
        entry["cost"].push_back(describe_cost(request, client, seconds, now_ns));
    }
    return entry;
}

}  // namespace

// Describes programs. Arguments: "pid": only this process; "buckets": with the histograms' buckets; "work": with their
// work, for predictions.
Json describe_programs(const Request& request) {
    const int64_t now = base::now_ns();
    const auto pid = request.pid();
    const bool whole = request.body.value("buckets", false);
    if (pid) named_clients(request, *pid);
    request.host.holds.look(request.host.clients, now);
    request.host.use.begin(now);
    const auto begin = static_cast<uint32_t>(request.number("cursor", 0, UINT32_MAX).value_or(0));
    const Facts facts(request, begin, kMostPrograms);
    const Sums sums{shares_of_all(request), OtherUsers(request)};
    const SupervisedMemory* supervised = request.host.options.supervised;
    Json programs = Json::array();
    Json answer{{"policy", request.host.scheduler.policy_name()},
                {"may_set_policy", request.rules_server()},
                {"uptime_s", static_cast<double>(now - request.host.started_ns) / base::kSecond},
                {"restarts", supervised != nullptr ? supervised->restarts : 0},
                {"holds_lost", request.host.holds.lost()},
                {"now_ms", milliseconds(now)}};
    const auto& clients = request.host.clients;
    for (auto at = clients.lower_bound(begin); at != clients.end(); ++at) {
        const Client& client = *at->second;
        if (!request.may_see(client) || (pid && client.pid() != *pid)) continue;
        if (programs.size() >= kMostPrograms) {
            answer["next"] = at->first;
            break;
        }
        programs.push_back(describe(request, facts, sums, client, whole, now));
    }
    answer["programs"] = programs;
    return answer;
}

}  // namespace xsched::server
