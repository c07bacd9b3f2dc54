#include "server/limits/cgroups.h"

#include <algorithm>
#include <functional>
#include <random>
#include <sstream>
#include <utility>

#include "base/printable.h"
#include "ipc/device_memory.h"
#include "server/system_files.h"

namespace xsched::server {
namespace {

constexpr uint64_t kGroupAccounts = uint64_t{7} << 61;  // range of account numbers, apart from those of users and
                                                        // processes
constexpr uint64_t kPathAccounts = kGroupAccounts | uint64_t{1} << 60;  // account numbers of groups without settings of
                                                                        // their own
constexpr int64_t kGone = -1;  // stands for the owner of a group that is gone
constexpr int64_t kUnknown = -2;  // stands for the owner if the system does not tell it in time

// Returns a hash of a path, made with a secret number so that no user can predict it.
uint64_t hash_of_path(const std::string& path, uint64_t secret) {
    return std::hash<std::string>{}(std::to_string(secret) + path + std::to_string(secret));
}

bool is_within(const std::string& path, const std::string& group) {
    return group == "/" || path == group || path.rfind(group + "/", 0) == 0;
}

}  // namespace

// Finds the group in a file /proc/PID/cgroup. A user names his groups freely and nests them freely; whatever he does,
// limits of the groups above still apply.
std::string cgroup_in(const std::string& file, const GroupView& view) {
    std::istringstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("0::/", 0) != 0) continue;  // version 2's
        std::string path = base::printable(view.resolve(line.substr(3)));
        if (path.size() > config::kLongestGroupPath)
            path.resize(std::max<size_t>(path.rfind('/', config::kLongestGroupPath), 1));
        return config::is_group_path(path) ? path : "";
    }
    return "";
}

std::string cgroup_of(pid_t pid, bool* known) {
    if (pid <= 0) return "";
    const SystemFile file = read_system_file("/proc/" + std::to_string(pid) + "/cgroup");
    if (known != nullptr) *known = file.in_time;
    return cgroup_in(file.text);
}

Cgroups::Cgroups(GroupView view) : view_(std::move(view)) {}

void Cgroups::share_by_group() {
    std::random_device random;
    while (secret_ == 0) secret_ = uint64_t{random()} << 32 | random();
}

int64_t Cgroups::owner_of(const std::string& path) const {
    for (const std::string& mount : view_.mounts()) {
        const SystemFile file = look_at_system_file(mount + path);
        if (!file.in_time) return kUnknown;
        if (file.there) return S_ISDIR(file.info.st_mode) ? file.info.st_uid : kGone;
    }
    return kGone;
}

bool Cgroups::may_set(const Peer& peer, const std::string& path) const {
    return peer.trusted || owner_of(path) == peer.uid;
}

bool Cgroups::is_there(const std::string& path) const { return owner_of(path) != kGone; }

bool Cgroups::has_room(const Peer* asking) const {
    if (groups_.size() >= kMost) return false;
    if (asking == nullptr || asking->trusted) return true;
    size_t ordinary = 0;
    size_t own = 0;
    for (const auto& [path, group] : groups_) {
        ordinary += group.trusted ? 0 : 1;
        own += !group.trusted && group.by == asking->uid ? 1 : 0;
    }
    return ordinary < kMostOfOrdinary && own < kMostOfUser;
}

const char* Cgroups::set(const GroupSetting& setting, const Peer* asking) {
    const bool trusted = asking == nullptr || asking->trusted;
    const auto known = groups_.find(setting.path);
    if (known != groups_.end() && known->second.trusted && !trusted)
        return "an administrator has set what this group is given: ask an administrator to change it";
    if (known == groups_.end()) {
        // A setting that is taken back may be of a group that is gone, as that of a job which has ended.
        if (Group nothing; put(nothing, setting), !nothing.is_needed()) return nullptr;
        if (!view_.is_complete() && owner_of(setting.path) < 0)
            return "the server is in a control group namespace of its own and does not see that group: start it in "
                   "the host's (SERVER.md)";
        // If there are too many settings, forgets those of cgroups that no longer exist (services and sessions come
        // and go), because no user could remove them.
        if (!has_room(asking))
            std::erase_if(groups_,
                          [this](const auto& it) { return !it.second.trusted && owner_of(it.first) == kGone; });
        if (!has_room(asking))
            return "too many groups have a share or a limit already: take one back with share=0, device-limit=0, "
                   "highest-priority=255, memory-limit=0 and memory-guarantee=0";
        groups_[setting.path] = {.account = kGroupAccounts | ++accounts_, .by = trusted ? 0 : asking->uid};
    }
    Group& group = groups_[setting.path];
    if (trusted && !group.trusted)  // a setting by the group's owner does not count as an administrator's
        group = {.account = group.account, .by = group.by};
    group.trusted = trusted;
    put(group, setting);
    if (!group.is_needed()) groups_.erase(setting.path);
    return nullptr;
}

void Cgroups::put(Group& group, const GroupSetting& setting) {
    const auto percent = static_cast<int32_t>(setting.value);  // or a priority
    const auto bytes = static_cast<uint64_t>(setting.value);
    switch (setting.what) {
        case GroupSetting::What::kShare: group.share = percent; break;
        case GroupSetting::What::kLimit: group.limit = percent == 0 ? 100 : percent; break;
        case GroupSetting::What::kHighestPriority: group.highest_priority = percent; break;
        case GroupSetting::What::kMemoryLimit: group.memory_limit = bytes; break;
        case GroupSetting::What::kMemoryGuarantee: group.memory_guarantee = bytes; break;
    }
}

std::vector<KeptGroup> Cgroups::kept() const {
    std::vector<KeptGroup> all;
    for (const auto& [path, group] : groups_) all.push_back({group, path});
    return all;
}

void Cgroups::take_up(const KeptGroup& group) {
    if (!config::is_group_path(group.path) || (!group.trusted && owner_of(group.path) == kGone)) return;
    groups_[group.path] = {.share = std::clamp(group.share, 0, 100),
                           .limit = std::clamp(group.limit, 1, 100),
                           .highest_priority = std::clamp(group.highest_priority, PRIORITY_MIN, PRIORITY_MAX),
                           .memory_limit = std::min(group.memory_limit, ipc::kMostMemoryBytes),
                           .memory_guarantee = std::min(group.memory_guarantee, ipc::kMostMemoryBytes),
                           .account = group.account | kGroupAccounts,
                           .by = group.by,
                           .trusted = group.trusted};
    accounts_ = std::max(accounts_, group.account & ~kGroupAccounts);
}

const Cgroups::Group* Cgroups::nearest(const std::string& path, bool (Group::*has)() const) const {
    const Group* nearest = nullptr;
    size_t length = 0;
    for (const auto& [name, group] : groups_) {
        if (path.empty() || !is_within(path, name) || !(group.*has)()) continue;
        if (nearest != nullptr && std::pair(group.trusted, name.size()) < std::pair(nearest->trusted, length)) continue;
        nearest = &group;
        length = name.size();
    }
    return nearest;
}

bool Cgroups::tell(const std::string& path, dispatch::GroupShare& share) const {
    const Group* const sharing = nearest(path, &Group::shares);
    const Group* const memory = nearest(path, &Group::has_memory);
    int32_t highest_priority = PRIORITY_MAX;
    for (const auto& [name, group] : groups_)
        if (!path.empty() && is_within(path, name))
            highest_priority = std::min(highest_priority, group.highest_priority);
    bool changed = false;
    const auto store = [&changed](auto& field, auto value) {
        changed |= field.exchange(value, std::memory_order_relaxed) != value;
    };
    store(share.share, sharing != nullptr ? sharing->share : 0);
    store(share.limit, sharing != nullptr ? std::max(sharing->limit, 1) : 100);
    store(share.highest_priority, highest_priority);
    store(share.trusted, sharing != nullptr && sharing->trusted);
    const bool by_path = sharing == nullptr && secret_ != 0 && !path.empty();
    store(share.account, sharing != nullptr ? sharing->account
                         : by_path          ? kPathAccounts | hash_of_path(path, secret_) >> 4
                                            : 0);
    store(share.memory_limit, memory != nullptr ? memory->memory_limit : 0);
    store(share.memory_guarantee, memory != nullptr ? memory->memory_guarantee : 0);
    store(share.memory_account, memory != nullptr ? memory->account : 0);
    return changed;
}

}  // namespace xsched::server
