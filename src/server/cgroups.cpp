#include "server/cgroups.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace xsched::server {
namespace {

constexpr uint64_t kGroupAccounts = uint64_t{7} << 61;  // other than users' and processes'
constexpr size_t kLongestPath = 255;

// Without ".." a path below the mount stays there.
bool is_path(const std::string& path) {
    if (path == "/") return true;
    return path.size() <= kLongestPath && !path.empty() && path.front() == '/' &&
           (path + "/").find("/../") == std::string::npos && (path + "/").find("//") == std::string::npos;
}

bool is_within(const std::string& path, const std::string& group) {
    return group == "/" || path == group || path.rfind(group + "/", 0) == 0;
}

}  // namespace

std::string cgroup_of(pid_t pid) {
    if (pid <= 0) return "";
    FILE* file = fopen(("/proc/" + std::to_string(pid) + "/cgroup").c_str(), "re");
    if (file == nullptr) return "";
    std::string path;
    char line[4096];
    for (int lines = 0; lines < 64 && path.empty() && fgets(line, sizeof(line), file) != nullptr; ++lines) {
        std::string text = line;
        while (!text.empty() && text.back() == '\n') text.pop_back();
        if (text.rfind("0::/", 0) == 0) path = text.substr(3);  // version 2's
    }
    fclose(file);
    return is_path(path) ? path : "";
}

GroupSetting Cgroups::read(const std::string& text) {
    const size_t colon = text.rfind(':');
    const size_t equals = text.rfind('=');
    GroupSetting setting;
    if (colon == std::string::npos || equals == std::string::npos || equals < colon)
        throw std::runtime_error("\"" + text + "\" says nothing of a group: write /path/of/group:share=30");
    setting.path = text.substr(0, colon);
    if (!is_path(setting.path))
        throw std::runtime_error("\"" + setting.path +
                                 "\" is no path of a control group: take it from /proc/PID/cgroup");
    const std::string name = text.substr(colon + 1, equals - colon - 1);
    if (name != "share" && name != "device-limit")
        throw std::runtime_error("a group has no limit \"" + name + "\": use share or device-limit");
    setting.is_limit = name == "device-limit";
    const std::string value = text.substr(equals + 1);
    char* end = nullptr;
    const long number = strtol(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0' || number < 0 || number > 100)
        throw std::runtime_error(name + "=" + value + " is not a whole number from 0 to 100: write " + name + "=30");
    setting.percent = static_cast<int32_t>(number);
    return setting;
}

bool Cgroups::may_set(const Peer& peer, const std::string& path) {
    if (peer.trusted) return true;
    struct stat info{};
    for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        if (lstat((mount + path).c_str(), &info) == 0) return S_ISDIR(info.st_mode) && info.st_uid == peer.uid;
    return false;
}

const char* Cgroups::set(const GroupSetting& setting, const Peer* asking) {
    const bool trusted = asking == nullptr || asking->trusted;
    const auto known = groups_.find(setting.path);
    if (known != groups_.end() && known->second.trusted && !trusted)
        return "an administrator has said what this group is given: ask whoever that is";
    if (known == groups_.end()) {
        const auto of_user = std::count_if(groups_.begin(), groups_.end(), [&](const auto& entry) {
            return !trusted && !entry.second.trusted && entry.second.by == asking->uid;
        });
        if (groups_.size() >= kMost || static_cast<size_t>(of_user) >= kMostOfUser)
            return "too many groups have a share or a limit already: take one back with share=0 and device-limit=0";
        groups_[setting.path] = {.account = kGroupAccounts | ++accounts_, .by = trusted ? 0 : asking->uid};
    }
    Group& group = groups_[setting.path];
    group.trusted = trusted;
    (setting.is_limit ? group.limit : group.share) = setting.percent;
    if (setting.is_limit && setting.percent == 0) group.limit = 100;
    if (group.share == 0 && group.limit == 100) groups_.erase(setting.path);
    return nullptr;
}

void Cgroups::tell(const std::string& path, dispatch::GroupShare& share) const {
    const Group* nearest = nullptr;
    size_t length = 0;
    for (const auto& [name, group] : groups_) {
        if (path.empty() || !is_within(path, name)) continue;
        if (nearest != nullptr && std::pair(group.trusted, name.size()) < std::pair(nearest->trusted, length)) continue;
        nearest = &group;
        length = name.size();
    }
    share.share.store(nearest != nullptr ? nearest->share : 0, std::memory_order_relaxed);
    share.limit.store(nearest != nullptr ? std::max(nearest->limit, 1) : 100, std::memory_order_relaxed);
    share.trusted.store(nearest != nullptr && nearest->trusted, std::memory_order_relaxed);
    share.account.store(nearest != nullptr ? nearest->account : 0, std::memory_order_relaxed);
}

}  // namespace xsched::server
