#include "config/group_setting.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "base/byte_size.h"
#include "base/did_you_mean.h"
#include "base/printable.h"
#include "config/limit_setting.h"
#include "ipc/device_memory.h"
#include "xsched/types.h"

namespace xsched::config {
namespace {

struct Kind {
    const char* name;
    GroupSetting::What what;
    int64_t least;
    int64_t most;
    const char* without = "0";  // the value that takes it back
};
constexpr Kind kKinds[] = {
    {"share", GroupSetting::What::kShare, 0, 100},
    {"device-limit", GroupSetting::What::kLimit, 0, 100},
    {"highest-priority", GroupSetting::What::kHighestPriority, PRIORITY_MIN, PRIORITY_MAX, "255"},
    {"memory-limit", GroupSetting::What::kMemoryLimit, 0, ipc::kMostMemoryBytes},
    {"memory-guarantee", GroupSetting::What::kMemoryGuarantee, 0, ipc::kMostMemoryBytes},
};

std::string no_such_group_limit(const std::string& name) {
    std::vector<std::string> known;
    for (const Kind& kind : kKinds) known.emplace_back(kind.name);
    return "a group has no limit \"" + name + "\"" + base::instead(known, name);
}

}  // namespace

bool is_group_path(const std::string& path) {
    if (path == "/") return true;
    return path.size() <= kLongestGroupPath && !path.empty() && path.front() == '/' && base::printable(path) == path &&
           (path + "/").find("/../") == std::string::npos && (path + "/").find("//") == std::string::npos;
}

GroupSetting read_group_setting(const std::string& text) {
    const size_t colon = text.rfind(':');
    const size_t equals = text.rfind('=');
    GroupSetting setting;
    if (colon == std::string::npos || equals == std::string::npos || equals < colon)
        throw std::runtime_error("\"" + text + "\" says nothing of a group: write /path/of/group:share=30");
    setting.path = text.substr(0, colon);
    if (!is_group_path(setting.path))
        throw std::runtime_error("\"" + setting.path +
                                 "\" is no path of a control group: take it from /proc/PID/cgroup");
    const std::string name = text.substr(colon + 1, equals - colon - 1);
    const auto* kind =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&name](const Kind& one) { return name == one.name; });
    if (kind == std::end(kKinds)) throw std::runtime_error(no_such_group_limit(name));
    setting.what = kind->what;
    const bool is_size = kind->most == ipc::kMostMemoryBytes;
    std::string value = is_size ? base::read_byte_size(text.substr(equals + 1)) : text.substr(equals + 1);
    if (value == kTakenBack) value = kind->without;
    char* end = nullptr;
    const long number = strtol(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0' || number < kind->least || number > kind->most)
        throw std::runtime_error(name + "=" + value + " is not " + range_text(kind->least, kind->most, is_size) +
                                 ": write " + setting.path + ":" + name + (is_size ? "=30GiB" : "=30"));
    setting.value = number;
    return setting;
}

}  // namespace xsched::config
