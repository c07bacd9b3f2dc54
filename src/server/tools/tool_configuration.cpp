// Commands about the configuration.
#include "base/text.h"
#include "config/rule_json.h"
#include "policy/policy.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {
namespace {

// Returns the policy in force if an order, or an expression, has replaced the one that is set; otherwise that one. (A
// policy that is set by its file has a name of its own.)
config::Value policy_in_force(const Request& request, const config::Value& set) {
    const std::string now = request.host.scheduler.policy_name();
    if (now == set.text || policy::find_policy(set.text.c_str()) == nullptr) return set;
    const bool by_expression = !request.host.options.policy_line.empty() && now == "EXPR";
    return {now, by_expression ? "server.policy_expr" : "xcli policy"};
}

}  // namespace

// Returns the server's own settings with their sources; a source is left out for a default. Limits are shown by
// show_limits, to those whom they concern.
Json show_configuration(const Request& request) {
    Json settings = Json::object();
    for (const config::Setting& setting : config::settings()) {
        if (setting.table != "server") continue;
        const config::Value configured = request.host.options.configuration.value(setting);
        config::Value value = configured;
        const auto& used = request.host.options.used_until_next_start;
        const auto waits = used.find(setting.name());
        if (waits != used.end()) value = waits->second;
        if (setting.name() == "server.policy") value = policy_in_force(request, value);
        settings[setting.name()] = {{"value", value.text}};
        if (!value.source.empty()) settings[setting.name()]["source"] = value.source;
        if (waits != used.end())
            settings[setting.name()]["next_start"] = {{"value", configured.text}, {"source", configured.source}};
    }
    return {{"settings", std::move(settings)},
            {"reads_users_files", request.host.options.scope == ipc::SocketScope::kUser}};
}

// Shows the asking user's rules, and to an administrator of a server of all users its "configured" ones; or replaces
// them by those that the user's tool has read from the user's files. On a user's own server they are part of its
// configuration, which "reload" has it read again.
Json show_or_set_rules(const Request& request) {
    const uid_t user = request.asking.peer.uid;
    RuleBook& rules = request.host.rules;
    const bool reads_users_files = request.host.options.scope == ipc::SocketScope::kUser;
    if (const auto list = request.body.find("set"); list != request.body.end() && !reads_users_files) {
        if (const std::string refusal = rules.set_of_user(user, *list); !refusal.empty()) throw ToolError(refusal);
        request.host.checkpoint.note(kUsersRules, rules.kept());
        say_in_log(request, name_of(request.asking.peer) + " has " + base::counted(rules.of_user(user).size(), "rule") +
                                " for its programs now");
    }
    const bool reloads = reads_users_files && request.body.value("reload", Json()) == true && request.rules_server() &&
                         request.host.reload != nullptr;
    if (reloads && !request.host.reload())
        throw ToolError(
            "something in the files is wrong, so the server goes on as before: 'xcli config check' says what");
    Json answer{{"rules", config::rules_json(reads_users_files ? rules.rules() : rules.of_user(user))},
                {"reads_users_files", reads_users_files},
                {"reloaded", reloads}};
    if (!reads_users_files && request.rules_server()) answer["configured"] = config::rules_json(rules.rules());
    return answer;
}

}  // namespace xsched::server
