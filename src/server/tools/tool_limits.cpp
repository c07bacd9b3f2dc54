// Commands about limits: how much each user has, and how much each may have.
#include <algorithm>
#include <iterator>

#include "server/configured.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {
namespace {

bool may_set(const Request& request) { return request.asking.peer.trusted; }

// Returns whether the limit counts things that a user has.
bool is_counted(Limit limit) {
    constexpr Limit kOthers[] = {Limit::kHighestPriority, Limit::kShare,       Limit::kDeviceLimit,
                                 Limit::kUnits,           Limit::kMemoryLimit, Limit::kMemoryGuarantee};
    return std::find(std::begin(kOthers), std::end(kOthers), limit) == std::end(kOthers);
}

// Adds a limit that is set, and by what: a file, the command line, or a person since.
void add_set(const Request& request, const LimitSetting& set, Json& entry) {
    const ConfiguredLimit* configured = configured_limit(request.host.options, set);
    const bool is_it = configured != nullptr && configured->value == set.value;
    entry["set"] = set.value;
    entry["source"] = is_it ? configured->source : "xcli limit";
}

Json describe_user(const Request& request, const User& user) {
    Json limits = Json::array();
    for (size_t i = 0; i < kLimits; ++i) {
        const auto limit = static_cast<Limit>(i);
        const LimitInfo& info = limit_info(limit);
        Json entry{{"name", info.name}, {"unit", info.unit}, {"most", user.most(limit)}};
        if (is_counted(limit)) entry["used"] = user.used(limit);
        if (const auto set = user.set_by_person(limit))
            add_set(request, {.user = user.uid(), .limit = limit, .value = *set}, entry);
        limits.push_back(entry);
    }
    Json entry{{"uid", user.uid()}, {"trusted", user.trusted()}, {"limits", limits}};
    if (!user.place().empty()) entry["place"] = user.place();
    return entry;
}

// Describes what a control group was given, and whether the group is there: a service's or container's may come later.
Json describe_group(const Cgroups& groups, const KeptGroup& group) {
    Json limits = Json::array();
    const auto add = [&limits](Limit limit, int64_t value, int64_t without) {
        const LimitInfo& info = limit_info(limit);
        if (value != without) limits.push_back({{"name", info.name}, {"unit", info.unit}, {"most", value}});
    };
    add(Limit::kHighestPriority, group.highest_priority, PRIORITY_MAX);
    add(Limit::kShare, group.share, 0);
    add(Limit::kDeviceLimit, group.limit, 100);
    add(Limit::kMemoryLimit, static_cast<int64_t>(group.memory_limit), 0);
    add(Limit::kMemoryGuarantee, static_cast<int64_t>(group.memory_guarantee), 0);
    return {{"path", group.path}, {"waits", !groups.is_there(group.path)}, {"limits", limits}};
}

std::string name_in(const std::string& text) { return text.substr(0, text.rfind('=')); }
bool takes_back(const std::string& text) { return text.ends_with(std::string("=") + config::kTakenBack); }

// Notes a limit in the checkpoint, for the next server. A limit that was taken back is what that server reads itself.
void keep(const Request& request, const std::string& text) {
    Json kept = request.host.checkpoint.value("limits");
    if (!kept.is_object()) kept = Json::object();
    kept.erase(name_in(text));
    if (!takes_back(text)) kept[name_in(text)] = text;
    request.host.checkpoint.note("limits", kept);
    say_in_log(request, "limit " + text + ", as " + name_of(request.asking.peer) + " asked");
}

// Notes the settings of groups. The settings that users made are kept apart, since they are left out if there is no
// room for all (checkpoint.h).
void keep_groups(const Request& request) {
    Json of_trusted = Json::array();
    Json of_users = Json::array();
    for (const KeptGroup& group : request.host.cgroups.kept())
        (group.trusted ? of_trusted : of_users)
            .push_back({{"path", group.path},
                        {"share", group.share},
                        {"limit", group.limit},
                        {"highest_priority", group.highest_priority},
                        {"memory_limit", group.memory_limit},
                        {"memory_guarantee", group.memory_guarantee},
                        {"account", group.account},
                        {"by", group.by}});
    request.host.checkpoint.note(kGroupsOfTrusted, std::move(of_trusted));
    request.host.checkpoint.note(kGroupsOfUsers, std::move(of_users));
}

Json set_group(const Request& request, const std::string& text) {
    GroupSetting setting;
    try {
        setting = config::read_group_setting(text);
    } catch (const std::runtime_error& error) {
        throw ToolError(error.what());
    }
    // A setting that is taken back has its configured value again.
    const GroupSetting* configured = takes_back(text) ? configured_limit(request.host.options, setting) : nullptr;
    if (configured != nullptr) setting = *configured;
    Cgroups& groups = request.host.cgroups;
    if (!groups.may_set(request.asking.peer, setting.path))
        throw NotDone("only administrators, members of the group xsched and the owner of " + setting.path +
                      " in /sys/fs/cgroup may say what it is given" + who_administers());
    Peer charged = request.asking.peer;
    charged.uid = request.asking.user.uid();
    if (const char* refusal = groups.set(setting, &charged)) throw NotDone(refusal);
    // Collects the clients whose group the changed limit concerns, so that the scheduling thread reads only these
    // again.
    std::vector<uint32_t> changed;
    for (const auto& [id, client] : request.host.clients)
        if (groups.tell(client->cgroup(), *client->group())) changed.push_back(id);
    request.order([&changed](dispatch::Dispatcher& dispatcher) {
        for (const uint32_t id : changed) dispatcher.look_at(id);
    });
    keep_groups(request);
    say_in_log(request, "limit " + text + ", as " + name_of(request.asking.peer) + " asked");
    const std::vector<KeptGroup> kept = groups.kept();
    const auto is_it = [&setting](const KeptGroup& group) { return group.path == setting.path; };
    Json answer{{"waits", std::any_of(kept.begin(), kept.end(), is_it) && !groups.is_there(setting.path)}};
    if (configured != nullptr) answer["value"] = std::to_string(setting.value);
    return answer;
}

// Makes the scheduling thread read all programs: those that only allocate memory do not ring.
void look_at_all(const Request& request) {
    request.order([&clients = request.host.clients](dispatch::Dispatcher& dispatcher) {
        for (const auto& [id, client] : clients) dispatcher.look_at(id);
    });
}

}  // namespace

// Shows the limits of the asking user and of that user's control groups; users who may change limits see all.
Json show_limits(const Request& request) {
    const Users& accounts = request.host.users;
    Json known = Json::array();
    for (size_t i = 0; i < kLimits; ++i) {
        const LimitInfo& info = limit_info(static_cast<Limit>(i));
        const std::optional<int64_t> set = accounts.set_for_ordinary(static_cast<Limit>(i));
        Json entry{{"name", info.name},
                   {"unit", info.unit},
                   {"ordinary", set.value_or(info.ordinary)},

                   {"trusted", info.trusted},
                   {"help", info.help}};
        if (set) add_set(request, {.user = {}, .limit = static_cast<Limit>(i), .value = *set}, entry);
        const int64_t together = accounts.most_together(static_cast<Limit>(i), false);
        if (together != GroupRoom::kNoLimit) entry["together"] = together;
        known.push_back(std::move(entry));
    }
    Json users = Json::array();
    for (const User* user : request.host.users.all())
        if (may_set(request) || user == &request.asking.user) users.push_back(describe_user(request, *user));
    Json groups = Json::array();
    for (const KeptGroup& group : request.host.cgroups.kept())
        if (request.host.cgroups.may_set(request.asking.peer, group.path))
            groups.push_back(describe_group(request.host.cgroups, group));
    Json answer{{"limits", known}, {"users", users}, {"groups", groups}, {"may_set", may_set(request)}};
    const GroupRoom& room = accounts.room();
    if (room.memory_bytes != GroupRoom::kNoLimit) answer["group"]["memory_bytes"] = room.memory_bytes;
    if (room.memory_bytes != GroupRoom::kNoLimit) answer["group"]["queues_of_a_program"] = accounts.slots();
    if (room.processes != GroupRoom::kNoLimit) answer["group"]["processes"] = room.processes;
    return answer;
}

Json set_limit(const Request& request) {
    const auto text = request.text("set");
    if (text && config::is_about_group(*text)) return set_group(request, *text);
    if (!may_set(request))
        throw NotDone("only administrators and members of the group xsched may change limits" + who_administers());
    if (!text) throw ToolError("say which limit: clients=500, or alice:highest-priority=50");
    LimitSetting setting;
    try {
        setting = read_limit(*text, false);
    } catch (const std::runtime_error& error) {
        throw ToolError(error.what());
    }
    Json answer = Json::object();
    const ConfiguredLimit* configured = setting.taken_back ? configured_limit(request.host.options, setting) : nullptr;
    if (configured != nullptr) {
        setting = *configured;
        answer["value"] = std::to_string(setting.value);
    }
    request.host.users.set(setting);
    if (setting.limit == Limit::kMemoryLimit || setting.limit == Limit::kMemoryGuarantee) look_at_all(request);
    keep(request, *text);
    return answer;
}

}  // namespace xsched::server
