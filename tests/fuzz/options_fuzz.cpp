// The texts that people write: variables of the environment, limits, control groups, times, names and policies of one
// line. Each is understood, within its range, or refused.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/log.h"
#include "base/options.h"
#include "base/short_name.h"
#include "cli/server_link.h"
#include "cli/time_text.h"
#include "fuzz/bytes.h"
#include "fuzz/target.h"
#include "policy/expr/expr.h"
#include "server/limits/cgroups.h"
#include "server/limits/users.h"

namespace xsched::fuzz::options_target {
namespace {

// Reads variables from the input: a number in the list of options and a value, one after the other. The values are
// short, since the process keeps them.
void read_variables(Bytes& bytes) {
    const base::OptionInfo* infos = base::option_infos();
    uint32_t count = 0;
    while (infos[count].variable != nullptr) unsetenv(infos[count++].variable);
    while (!bytes.empty()) {
        const char* variable = infos[bytes.below(count)].variable;
        std::string value(bytes.until('\n'));
        value = value.c_str();
        if (value.find_first_not_of("0123456789-+ ") != std::string::npos)
            value.resize(std::min<size_t>(value.size(), 2));
        setenv(variable, value.c_str(), 1);
    }
    const base::Options options = base::read_options();
    for (const base::HintInfo& hint : base::kHints) {
        if (hint.option == nullptr || hint.kind != base::HintKind::kNumber) continue;
        const int64_t kept = base::get_hint(options, hint.id);
        demand(kept == hint.fallback || (kept >= hint.least && kept <= hint.most), "a hint is within its range");
    }
}

void read_limits(const std::string& text) {
    try {
        const server::LimitSetting setting = server::read_limit(text, false);
        demand(setting.value <= server::limit_info(setting.limit).most, "a limit is within its range");
        server::Users users("/nowhere");
        users.set(setting);
        users.of({.pid = 1, .uid = 1000, .trusted = false}).charge(setting.limit);
    } catch (const std::runtime_error&) {
    }
    try {
        const server::GroupSetting setting = config::read_group_setting(text);
        const bool is_priority = setting.what == server::GroupSetting::What::kHighestPriority;
        demand(setting.value >= (is_priority ? PRIORITY_MIN : 0), "a setting is in its range");
        const bool is_memory = setting.what == server::GroupSetting::What::kMemoryLimit ||
                               setting.what == server::GroupSetting::What::kMemoryGuarantee;
        const int64_t most = is_memory ? static_cast<int64_t>(ipc::kMostMemoryBytes) : is_priority ? PRIORITY_MAX : 100;
        demand(setting.value <= most, "a setting is in its range");
        demand(setting.path.find("/../") == std::string::npos, "a group lies below the mount");
        server::Cgroups groups(server::GroupView(true, "", {"/nowhere"}));
        groups.set(setting, nullptr);
        dispatch::GroupShare share;
        groups.tell(setting.path, share);
        demand(share.limit >= 1 && share.limit <= 100, "a limit leaves something");
    } catch (const std::runtime_error&) {
    }
}

void read_words(const std::string& text) {
    try {
        const int64_t ns = cli::time_ns(text, "to fuzz for");
        demand(ns > 0 && ns <= int64_t{24} * 3600 * 1'000'000'000, "a time is a day at most");
    } catch (const cli::Failure&) {
    }
    base::LogLevel level{};
    base::find_log_level(text.c_str(), &level);
    const int64_t number = base::number_of_name(text);
    if (number != 0) demand(base::number_of_name(base::name_of_number(number)) == number, "a name is its number");
    base::name_of_number(static_cast<int64_t>(text.size() * 0x9e3779b97f4a7c15));
    std::string error;
    const auto policy = policy::make_expression(text, &error);
    demand((policy == nullptr) != error.empty(), "a line that is no policy is told why");
}

}  // namespace

XSCHED_FUZZ(options) {
    Bytes bytes(input);
    switch (bytes.below(3)) {
        case 0: return read_variables(bytes);
        case 1: return read_limits(std::string(bytes.rest()));
        default: return read_words(std::string(bytes.rest()));
    }
}

}  // namespace xsched::fuzz::options_target
