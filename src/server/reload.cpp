// SIGHUP: reads the configuration again. Only what the files say otherwise than before is changed, so that orders given
// at run time stay. If anything in the files is wrong, nothing changes.
#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "policy/policy.h"
#include "server/configured.h"
#include "server/server.h"

namespace xsched::server {
namespace {

constexpr const char* kPolicy = "server.policy";
constexpr const char* kLogLevel = "options.log_level";

}  // namespace

bool Server::reload() {
    config::Configuration now = read_configuration(options_);
    for (const config::Problem& problem : now.problems) XLOG_WARN("%s", problem.text().c_str());
    if (now.is_wrong()) {
        XLOG_WARN("the configuration is as before, since what it says now is wrong: correct it, and reload again");
        return false;
    }
    const std::string settings = change_settings(now);
    const size_t limits = change_limits(now);
    XLOG_INFO("the configuration is read again:%s %s changed, %s", settings.c_str(),
              base::counted(limits, "limit").c_str(), base::counted(now.rules.size(), "rule").c_str());
    rules_.set(now.rules);
    options_.configuration = std::move(now);
    try {
        take_limits(options_);
    } catch (const std::runtime_error& error) {
        XLOG_WARN("%s", error.what());  // a user of a limit is gone
    }
    return true;
}

// Puts changed settings in force. Returns what changed, as the beginning of a line.
std::string Server::change_settings(const config::Configuration& now) {
    std::string changed;
    for (const config::Setting& setting : config::settings()) {
        const config::Value value = now.value(setting);
        const config::Value before = options_.configuration.value(setting);
        if (value.text == before.text) continue;
        const policy::PolicyInfo* info = setting.name() == kPolicy ? policy::find_policy(value.text.c_str()) : nullptr;
        base::LogLevel level{};
        const bool is_level = setting.name() == kLogLevel && base::find_log_level(value.text.c_str(), &level);
        if (info != nullptr) {
            scheduler_.run([info](dispatch::Dispatcher& dispatcher) { dispatcher.core().set_policy(info->make()); });
            checkpoint_.note_policy(info->name);
        }
        if (is_level) base::set_log_level(level);
        if (info == nullptr && !is_level) use_until_next_start(setting.name(), before, value);
        changed += " " + setting.name() + " = " + value.text +
                   (info != nullptr || is_level ? "," : " (from the next start on),");
    }
    return changed;
}

// Remembers the value of a setting that cannot be changed while the server runs. Forgets it once the files have that
// value again.
void Server::use_until_next_start(const std::string& name, const config::Value& before, const config::Value& now) {
    auto& used = options_.used_until_next_start;
    const auto& [place, is_new] = used.try_emplace(name, before);
    if (!is_new && place->second.text == now.text) used.erase(place);
}

// Puts limits in force that are new or have changed, and takes back those that are gone. Returns how many.
size_t Server::change_limits(const config::Configuration& now) {
    size_t changed = 0;
    const auto& before = options_.configuration.limits;
    for (const auto& [name, value] : before) {
        if (now.limits.contains(name)) continue;
        change_limit(name + "=" + config::kTakenBack);
        ++changed;
    }
    for (const auto& [name, value] : now.limits) {
        if (const auto found = before.find(name); found != before.end() && found->second.text == value.text) continue;
        change_limit(name + "=" + value.text);
        ++changed;
    }
    if (changed == 0) return 0;
    for (const std::string& flag : options_.limit_flags) change_limit(flag);
    scheduler_.run([this](dispatch::Dispatcher& dispatcher) {
        for (const auto& [id, client] : clients_) {
            cgroups_.tell(client->cgroup(), *client->group());
            dispatcher.look_at(id);
        }
    });
    return changed;
}

void Server::change_limit(const std::string& text) {
    AnyLimit one;
    one.add(text);
    for (const LimitSetting& setting : one.limits) users_.set(setting);
    for (const GroupSetting& setting : one.groups)
        if (const char* refusal = cgroups_.set(setting, nullptr)) XLOG_WARN("the limit %s: %s", text.c_str(), refusal);
    // The limit from the reloaded settings replaces the one that a person set at run time. So that one is removed
    // from the checkpoint and does not come back after a crash.
    nlohmann::json kept = checkpoint_.value("limits");
    if (kept.is_object() && kept.erase(text.substr(0, text.rfind('='))) != 0) checkpoint_.note("limits", kept);
}

}  // namespace xsched::server
