#include "server/configured.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "base/clock.h"
#include "base/spin.h"
#include "policy/no_such_policy.h"

namespace xsched::server {
namespace {

int64_t default_spin_us() { return base::processors_to_spare() ? base::kSpinNs / base::kMicrosecond : 0; }

int64_t number_of(const config::Configuration& configuration, const char* name) {
    return strtoll(configuration.text(name).c_str(), nullptr, 10);
}

// A flag of a policy replaces a line of a policy in a file, and the other way round.
void drop_other_policy(config::Configuration& configuration, const std::map<std::string, std::string>& flags) {
    if (flags.contains("server.policy") == flags.contains("server.policy_expr")) return;
    configuration.settings.erase(flags.contains("server.policy") ? "server.policy_expr" : "server.policy");
}

void take_policy(Options& options) {
    const std::string named = options.configuration.text("server.policy");
    options.policy_line = options.configuration.text("server.policy_expr");
    options.policy_file.clear();
    options.policy = Options().policy;
    if (named.find('/') != std::string::npos)
        options.policy_file = named;
    else
        options.policy = named;
    if (policy::find_policy(options.policy.c_str()) != nullptr) return;
    throw std::runtime_error(policy::no_such_policy(options.policy));
}

}  // namespace

void AnyLimit::add(const std::string& text) {
    if (config::is_about_group(text))
        groups.push_back(config::read_group_setting(text));
    else
        limits.push_back(read_limit(text, true));
}

void take_limits(Options& options) {
    AnyLimit all;
    std::vector<std::string> sources;
    const auto add = [&](const std::string& text, const std::string& source) {
        all.add(text);
        sources.resize(all.limits.size(), source);
    };
    for (const auto& [name, value] : options.configuration.limits) add(name + "=" + value.text, value.source);
    for (const std::string& text : options.limit_flags) add(text, "--limit");
    options.limits.clear();
    for (size_t i = 0; i < all.limits.size(); ++i) options.limits.push_back({all.limits[i], sources[i]});
    options.groups = std::move(all.groups);
}

const ConfiguredLimit* configured_limit(const Options& options, const LimitSetting& setting) {
    const auto is_it = [&](const ConfiguredLimit& one) {
        return one.limit == setting.limit && one.user == setting.user;
    };
    const auto found = std::find_if(options.limits.rbegin(), options.limits.rend(), is_it);
    return found != options.limits.rend() ? &*found : nullptr;
}

const GroupSetting* configured_limit(const Options& options, const GroupSetting& setting) {
    const auto is_it = [&](const GroupSetting& one) { return one.what == setting.what && one.path == setting.path; };
    const auto found = std::find_if(options.groups.rbegin(), options.groups.rend(), is_it);
    return found != options.groups.rend() ? &*found : nullptr;
}

config::Configuration read_configuration(const Options& options) {
    config::Configuration configuration =
        config::read_configuration(config::folders(options.scope == ipc::SocketScope::kSystem));
    drop_other_policy(configuration, options.flags);
    for (const config::Setting& setting : config::settings())
        if (const auto flag = options.flags.find(setting.name()); flag != options.flags.end())
            configuration.settings[setting.name()] = {flag->second, setting.flag()};
    return configuration;
}

void take_configuration(Options& options, config::Configuration configuration) {
    options.configuration = std::move(configuration);
    const config::Configuration& from = options.configuration;
    take_policy(options);
    options.guest_socket = from.text("server.guest_socket");
    options.share_unit = from.text("server.share_unit");
    options.idle_exit_ns = static_cast<int64_t>(strtod(from.text("server.idle_exit").c_str(), nullptr) * base::kSecond);
    options.starvation_limit_ns = number_of(from, "server.starvation_limit_ms") * base::kMillisecond;
    options.claim_limit_ns = number_of(from, "server.claim_limit_ms") * base::kMillisecond;
    options.flight_recorder = number_of(from, "server.flight_recorder") != 0;
    const int64_t spin_us = number_of(from, "server.spin_us");
    options.spin_ns = (spin_us < 0 ? default_spin_us() : spin_us) * base::kMicrosecond;
    take_limits(options);
}

}  // namespace xsched::server
