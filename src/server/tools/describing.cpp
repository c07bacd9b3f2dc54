#include "server/tools/describing.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/capped.h"
#include "base/clock.h"
#include "base/short_name.h"
#include "base/text.h"
#include "base/time.h"
#include "config/ignored.h"
#include "host/rm_control.h"
#include "ipc/slot_hints.h"
#include "policy/policy.h"
#include "sched/core/core.h"
#include "server/tools/state.h"

namespace xsched::server {
namespace {

std::string program_of(const Request& request, int32_t pid) {
    for (const auto& [id, client] : request.host.clients)
        if (client->pid() == pid && request.may_see(*client)) return client->program();
    return "another user's program";
}

bool keeps_shares(const std::string& policy) { return policy == "PUP" || policy == "SPUP"; }

dispatch::JointShare joint_of(const Client& client) {
    return dispatch::joint_share(client.user().shared().get(), client.group().get());
}

// Returns whether the program was kept off for a part of the last ten seconds: it then asks for more than it gets, also
// if it has no work at the moment.
bool held_lately(const Request& request, const Client& client) {
    constexpr int64_t kWindowNs = 10 * base::kSecond;
    constexpr int64_t kSomeNs = 100 * base::kMillisecond;  // a percent of them: shares are told in whole percents
    int64_t held_ns = 0;
    for (const HoldBook::Sum& sum : request.host.holds.held(client.id(), kWindowNs, base::now_ns())) held_ns += sum.ns;
    return held_ns >= kSomeNs;
}

// Returns the share that counts: the user's or control group's, or the queue's own.
int32_t share_of(const SeenQueue& queue) {
    const dispatch::JointShare joint = joint_of(queue.client);
    return joint.account != 0 ? joint.share : std::clamp(queue.slot.share.load(), 0, 100);
}

}  // namespace

bool shares_together(const Client& client) { return joint_of(client).account != 0; }

// Returns the platform's name. The client wrote the number, so it may be any.
const char* platform_name(uint32_t platform) {
    constexpr const char* kNames[] = {"unknown", "vpi", "cuda", "cudla", "hip", "ascend", "opencl", "levelzero"};
    if (platform == kPlatformVulkan) return "vulkan";
    return platform < std::size(kNames) ? kNames[platform] : "unknown";
}

std::string device_name(uint64_t device) {
    constexpr const char* kTypes[] = {"?", "CPU", "GPU", "NPU", "FPGA", "ASIC", "MCA"};
    const uint64_t type = device >> 32;
    char text[32];
    snprintf(text, sizeof(text), "%s:%x", type < std::size(kTypes) ? kTypes[type] : "?", static_cast<uint32_t>(device));
    return text;
}

std::string word_of(const char* constant) {
    std::string word;
    for (const char* at = *constant == 'k' ? constant + 1 : constant; *at != '\0'; ++at) {
        const bool capital = *at >= 'A' && *at <= 'Z';
        if (capital && !word.empty()) word += '_';
        word += capital ? static_cast<char>(*at - 'A' + 'a') : *at;
    }
    return word;
}

std::string mechanism_word(sched::Mechanism mechanism, uint32_t platform) {
    if (mechanism == sched::Mechanism::kGate && platform == kPlatformOpenCL) return "hold";
    return word_of(sched::mechanism_name(mechanism));
}

std::string mechanism_text(sched::Mechanism mechanism, uint32_t platform) {
    std::string text = sched::mechanism_sentence(mechanism);
    constexpr std::string_view kGate = "its gate";
    if (platform == kPlatformOpenCL && text.starts_with(kGate)) text.replace(0, kGate.size(), "a hold");
    return text;
}

base::Hints hints_of(const Client& client, const std::vector<SeenQueue>& queues) {
    base::Hints hints;
    if (queues.empty()) ipc::take_defaults(client.header(), hints, 0);
    if (!queues.empty()) hints = ipc::load_hints(queues.front().slot);
    for (const SeenQueue& queue : queues) base::merge_hints(hints, ipc::load_hints(queue.slot));
    return hints;
}

Json describe_hints(const Request& request, const Client& client, const std::vector<SeenQueue>& queues,
                    int64_t now_ns) {
    Json in_force = Json::object();
    Json ignored = Json::object();
    const base::Hints hints = hints_of(client, queues);
    const std::string policy = request.host.scheduler.policy_name();
    const bool has_memory = counts_memory(client);
    const bool together = shares_together(client);
    for (const base::HintInfo& hint : base::kHints) {
        const int64_t value = hint.told(base::get_hint(hints, hint.id), now_ns);
        if (hint.request == nullptr || value == hint.fallback) continue;
        const bool has_effect = !config::read_by_others(policy, hint) && (has_memory || !is_about_memory(hint)) &&
                                !(together && hint.id == base::HintId::share);
        const bool is_priority = hint.id == base::HintId::priority && value != PRIORITY_NO_EXECUTE;
        if (is_priority && has_effect && hints.background != 0) {
            ignored[hint.request] = value;
            continue;
        }
        // A priority that counts has a place of its own.
        if (hint.id == base::HintId::priority && (has_effect || value == PRIORITY_NO_EXECUTE)) continue;
        (has_effect ? in_force : ignored)[hint.request] =
            hint.kind == base::HintKind::kName ? Json(base::name_of_number(value)) : Json(value);
    }
    return {{"hints_in_force", in_force}, {"hints_ignored", ignored}};
}

Json describe_kept_off(const QueueFacts& facts, uint32_t platform) {
    if (facts.kept_off_by == sched::Mechanism::kNone) return nullptr;
    Json candidates = Json::array();
    for (const sched::Candidate& candidate : facts.candidates) {
        if (candidate.mechanism == sched::Mechanism::kNone) continue;
        candidates.push_back({{"mechanism", mechanism_word(candidate.mechanism, platform)},
                              {"urgent_loses_ms", candidate.urgent_us / 1e3},
                              {"it_loses_ms", candidate.victim_us / 1e3}});
    }
    return {{"mechanism", mechanism_word(facts.kept_off_by, platform)}, {"candidates", candidates}};
}

void add_device(const Request& request, Json& entry, const Client& client, uint64_t device, uint32_t platform) {
    const auto number = request.host.devices.number_of(device, client.user().uid());
    entry["device"] = device_name(device);
    entry["device_index"] = number ? Json(*number) : Json();
    entry["device_name"] = request.host.devices.name_of(device, client);
    entry["platform"] = platform_name(platform);
}

void add_group(Json& entry, const Client& client) {
    entry["cgroup"] = client.cgroup();
    const dispatch::GroupShare& group = *client.group();
    const dispatch::JointShare joint = joint_of(client);
    if (joint.of_user && (joint.share != 0 || joint.limit < 100))
        entry["user_gets"] = {{"share", joint.share}, {"limit", joint.limit}};
    if (!joint.of_user && (group.share.load() != 0 || group.limit.load() < 100))
        entry["group_gets"] = {{"share", group.share.load()}, {"limit", group.limit.load()}};
    if (const Client::Ceiling ceiling = client.ceiling(); ceiling.priority < PRIORITY_MAX) {
        entry["group_gets"]["highest_priority"] = ceiling.priority;
        entry["group_gets"]["highest_priority_of"] = ceiling.of;
    }
    const auto add_bytes = [&entry](const char* name, const std::atomic<uint64_t>& bytes) {
        if (bytes.load() != 0) entry["group_gets"][name] = bytes.load();
    };
    add_bytes("memory_limit", group.memory_limit);
    add_bytes("memory_guarantee", group.memory_guarantee);
}

Json describe_memory(const Client& client) {
    uint64_t movable = 0, fixed = 0, on_host = 0, limit = 0, guarantee = 0, swaps = 0;
    int64_t waited_ns = 0;
    const auto bytes = [](const std::atomic<uint64_t>& word) {
        return std::min(word.load(std::memory_order_relaxed), ipc::kMostMemoryBytes);
    };
    for (const ipc::DeviceMemory& memory : client.region().header.memory) {
        movable += bytes(memory.on_card);
        fixed += bytes(memory.fixed);
        on_host += bytes(memory.on_host);
        limit = std::max(limit, bytes(memory.limit));  // the program's own
        guarantee = std::max({guarantee, bytes(memory.guarantee), bytes(memory.joint_guarantee)});
        swaps += memory.swaps.load(std::memory_order_relaxed);
        waited_ns = base::capped_sum(waited_ns, std::max<int64_t>(memory.waited_ns.load(std::memory_order_relaxed), 0));
    }
    const bool all_away = client.memory_by_driver;
    const uint64_t joint = dispatch::joint_memory_limit(client.user().shared().get(), client.group().get());
    return {{"memory_on_card", all_away ? 0 : movable + fixed},
            {"memory_movable", movable},
            {"memory_on_host", on_host + (all_away ? movable + fixed : 0)},
            {"memory_limit", counts_memory(client) ? ipc::least_limit(limit, joint) : 0},
            {"memory_guarantee", guarantee},
            {"memory_sent_away", client.memory_sent_away},
            {"memory_by_driver", client.memory_by_driver},
            {"memory_swaps", swaps},
            {"memory_waited_ms", base::milliseconds(waited_ns)}};
}

std::string device_text(const Request& request, const Client& client, uint64_t device) {
    const auto number = request.host.devices.number_of(device, client.user().uid());
    const std::string name = DeviceNumbers::name_of(device, client);
    const std::string shown = name.empty() ? device_name(device) : name;
    return number ? "device " + std::to_string(*number) + " (" + shown + ")" : shown;
}

std::string level_pauses(const ipc::QueueSlot& slot) {
    if (slot.level_pauses.load() == 0) return "";
    if (slot.platform.load() == kPlatformVulkan)
        return "level 3 pauses: the program has a swapchain, and a desktop may wait for its frames; or it has more "
               "channels than the driver takes off a device at once";
    return "level 3 pauses: its driver takes channels of at most " + std::to_string(cuda::rm::ChannelSet::kMostGroups) +
           " groups and at most " + std::to_string(cuda::rm::ChannelSet::kMostChannels) +
           " channels off a device at once, and the process has more there";
}

Explanation explain(const SeenQueue& queue, const QueueFacts& facts) {
    Explanation result;
    const ipc::SlotWork work = work_of(queue);
    result.ready = work.ready;
    result.stands = work.stands;
    result.suspended = facts.suspended;
    result.state = base::word_of(state_of_suspended(facts));
    result.stopped = facts.stopped;
    result.unscheduled = !facts.scheduled && queue.client.record()->unscheduled.load() != 0;
    result.by_itself = queue.slot.api_suspended.load() != 0;
    // Returns for how long the queue neither ran nor was held, if it has paused since. The client may write any time.
    const int64_t ready_since_ns = queue.slot.ready_since_ns.load();
    const bool began_later = result.ready && ready_since_ns > facts.since_ns && ready_since_ns <= base::now_ns();
    result.since_ns = began_later ? ready_since_ns : facts.since_ns;
    result.reason = result.unscheduled
                        ? "not scheduled: a limit on queues leaves it out ('xcli status --limits' shows it)"
                        : sched::reason_sentence(facts.reason);
    if (facts.suspended) result.by_pid = facts.by_pid;
    result.level_pauses = level_pauses(queue.slot);
    char note[256];
    result.note = policy::write_note(facts.note, note, sizeof(note));
    if (facts.suspended && ipc::is_slowed(queue.slot))
        result.mechanism = ipc::runs_slowed(queue.slot) ? "; kept to few compute units, where it goes on"
                                                        : "; by its gate, and what runs is kept to few compute units";
    else if (facts.suspended && facts.mechanism > sched::Mechanism::kGate)
        result.mechanism = "; by " + mechanism_text(facts.mechanism, queue.slot.platform.load());
    return result;
}

std::string sentence(const Request& request, const Explanation& why, int64_t now_ns) {
    const std::string since =
        why.since_ns > 0 ? " for " + base::length_text(base::milliseconds(std::max<int64_t>(now_ns - why.since_ns, 0)))
                         : "";
    std::string by;
    if (why.by_pid != 0) by = " (pid " + std::to_string(why.by_pid) + ", " + program_of(request, why.by_pid) + ")";
    const std::string note =
        (why.note.empty() ? "" : "; " + why.note) + (why.level_pauses.empty() ? "" : "; " + why.level_pauses);
    if (why.stopped) return "is stopped: a signal stopped its process, or its control group is frozen" + note;
    if (why.unscheduled) return "is " + why.reason + note;
    if (why.by_itself && !why.suspended) return "suspended by the program itself (XQueueSuspend)" + note;
    const std::string none = why.stands ? "waits for its host, another program or another device" : "has no work";
    if (why.suspended)
        return (why.ready ? "" : none + ", ") + why.state + since + ": " + why.reason + by + why.mechanism + note;
    if (!why.ready) return none + note;
    return "runs" + since + ": " + why.reason + note;
}

AskedFor shares_of_all(const Request& request) {
    AskedFor asked;
    std::map<std::pair<uint64_t, uint64_t>, int32_t> largest;  // by account (of a process, or of a group) and device
    std::set<std::pair<uint64_t, uint64_t>> counted;  // processes already counted for a group, by device
    for (const auto& [id, client] : request.host.clients) {
        const dispatch::JointShare joint = joint_of(*client);
        for (const SeenQueue& queue : queues_of(*client)) {
            const uint64_t device = queue.slot.device.load();
            int32_t& share = largest[{joint.account != 0 ? joint.account : client->process(), device}];
            share = std::max(share, share_of(queue));
            if (joint.account == 0 || !counted.insert({client->process(), device}).second) continue;
            asked.accounts_got[{joint.account, device}] +=
                request.host.use.percent(client->process(), device, 10).value_or(0);
        }
    }
    for (const auto& [key, share] : largest) asked.shares[key.second] += share;
    return asked;
}

int64_t AskedFor::worth_of(int64_t share, uint64_t device) const {
    const auto asked = shares.find(device);
    return asked == shares.end() || asked->second <= 100 ? share : (share * 100 + asked->second / 2) / asked->second;
}

Json describe_worth(const Request& request, const AskedFor& asked_for, const SeenQueue& queue) {
    if (!keeps_shares(request.host.scheduler.policy_name())) return nullptr;
    return asked_for.worth_of(share_of(queue), queue.slot.device.load());
}

std::string why_less(const Request& request, const AskedFor& asked_for, const SeenQueue& queue, const Explanation& why,
                     std::optional<double> got) {
    const uint64_t device = queue.slot.device.load();
    const dispatch::JointShare joint = joint_of(queue.client);
    const bool is_joint = joint.account != 0;
    const int32_t share = share_of(queue);
    const int32_t limit = is_joint ? joint.limit : queue.slot.limit.load();
    if (is_joint && got)
        if (const auto all = asked_for.accounts_got.find({joint.account, device}); all != asked_for.accounts_got.end())
            got = all->second;
    if (share <= 0 || !got || !falls_short(*got, share)) return "";
    const std::string who = !is_joint ? "it" : joint.of_user ? "its user" : "its control group";
    const std::string policy = request.host.scheduler.policy_name();
    if (!keeps_shares(policy)) return "policy " + policy + " does not keep shares: use PUP or SPUP";
    const int64_t worth = asked_for.worth_of(share, device);
    const std::string too_much =
        worth == share ? ""
                       : "all together ask for " + std::to_string(asked_for.shares.at(device)) + " percent, so that " +
                             std::to_string(share) + " counts as " + std::to_string(worth);
    if (!too_much.empty() && !falls_short(*got, worth)) return too_much;
    if (!why.ready && !held_lately(request, queue.client)) return "it does not ask for more";
    if (limit > 0 && limit < worth)
        return (is_joint ? who + "'s" : std::string("its")) + " limit is less than the share";
    return (too_much.empty() ? "" : too_much + "; ") + who +
           " asks now and then, or commands of others outlast their turns";
}

}  // namespace xsched::server
