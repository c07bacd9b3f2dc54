#include "config/limit_setting.h"

#include <pwd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "base/byte_size.h"
#include "base/did_you_mean.h"
#include "ipc/device_memory.h"
#include "xsched/types.h"

namespace xsched::config {
namespace {

constexpr int64_t most_of(Limit limit) {
    if (limit == Limit::kHighestPriority) return PRIORITY_MAX;
    if (limit == Limit::kMemoryLimit || limit == Limit::kMemoryGuarantee) return ipc::kMostMemoryBytes;
    return limit == Limit::kShare || limit == Limit::kDeviceLimit ? 100 : 1'000'000'000;
}

constexpr LimitInfo kInfos[] = {
#define XSCHED_LIMIT(id, name, unit, ordinary, trusted, together, help) \
    {name, unit, ordinary, trusted, together, most_of(Limit::id), help},
#include "config/limits.def"
#undef XSCHED_LIMIT
};

uid_t uid_of(const std::string& name, bool names) {
    int64_t number = 0;
    if (read_number(name, &number) && number >= 0 && number < kFirstApart) return static_cast<uid_t>(number);
    const passwd* found = names ? getpwnam(name.c_str()) : nullptr;
    if (found == nullptr)
        throw std::runtime_error("there is no user \"" + name + "\": use a name or uid of this machine");
    return found->pw_uid;
}

std::string no_such_limit(const std::string& name) {
    std::vector<std::string> known;
    for (const LimitInfo& info : kInfos) known.emplace_back(info.name);
    if (name == "limit" || name == "priority")
        return "there is no limit \"" + name + "\": a user has " +
               (name == "limit" ? "device-limit" : "highest-priority") + ", and a program 'xcli hint PROGRAM --" +
               name + " NUMBER'";
    return "there is no limit \"" + name + "\"" + base::instead(known, name);
}

// Returns a sensible value to show as an example of the limit: its default; if the default is "no limit", 30 or the
// largest possible value.
int64_t example_of(const LimitInfo& info) {
    constexpr int64_t kSomePercent = 30;
    return info.ordinary != 0 ? info.ordinary : std::min<int64_t>(info.most, kSomePercent);
}

}  // namespace

bool read_number(const std::string& text, int64_t* number) {
    char* end = nullptr;
    errno = 0;
    *number = strtoll(text.c_str(), &end, 10);
    return errno == 0 && !text.empty() && *end == '\0';
}

std::string range_text(int64_t least, int64_t most, bool is_size) {
    if (is_size) return "a size from 0 to " + base::exact_size(most);
    return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

bool is_size(const LimitInfo& info) { return std::string(info.unit) == "bytes"; }

const LimitInfo& limit_info(Limit limit) { return kInfos[static_cast<size_t>(limit)]; }

std::optional<Limit> find_limit(const std::string& name) {
    for (size_t i = 0; i < kLimits; ++i)
        if (name == kInfos[i].name) return static_cast<Limit>(i);
    return std::nullopt;
}

LimitSetting read_limit(const std::string& text, bool names) {
    LimitSetting setting;
    const size_t equals = text.rfind('=');
    const size_t colon = text.find(':');
    const bool for_one = colon != std::string::npos && colon < equals;
    const size_t begin = for_one ? colon + 1 : 0;
    const std::string name = text.substr(begin, equals == std::string::npos ? equals : equals - begin);
    const auto limit = find_limit(name);
    if (!limit) throw std::runtime_error(no_such_limit(name));
    const LimitInfo& info = limit_info(*limit);
    std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (is_size(info)) value = base::read_byte_size(value);
    const int64_t least = *limit == Limit::kHighestPriority ? PRIORITY_MIN : 0;
    setting.taken_back = value == kTakenBack;
    if (setting.taken_back) value = "0";
    if (!read_number(value, &setting.value) || setting.value < least || setting.value > info.most)
        throw std::runtime_error(name + "=" + value + " is not " + range_text(least, info.most, is_size(info)) +
                                 ": write " + text.substr(0, begin) + name + "=" +
                                 (is_size(info) ? "4GiB" : std::to_string(example_of(info))));
    setting.limit = *limit;
    if (for_one) setting.user = uid_of(text.substr(0, colon), names);
    return setting;
}

}  // namespace xsched::config
