// Shares, limits, ceilings and memory of control groups (cgroup v2). The programs of a group share a device as one,
// whichever users they belong to; so they do with its memory, if the group has a limit or guarantee of memory. A
// program's group is read when it connects. A group includes all groups below it that have no settings of their own. A
// ceiling (the highest priority) holds for all groups below, whatever their settings. Front thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/group_setting.h"
#include "dispatch/user_limits.h"
#include "server/clients/peer.h"
#include "server/limits/group_view.h"
#include "xsched/types.h"

namespace xsched::server {

// Returns the process's group, such as "/user.slice/app.slice", in printable characters; empty if it has none or it
// cannot be read. A long path is cut to the longest that may have a share or limit. `known`: receives whether the
// system answered in time (system_files.h).
std::string cgroup_of(pid_t pid, bool* known = nullptr);
// Returns the group that the text of /proc/PID/cgroup names, as cgroup_of does.
std::string cgroup_in(const std::string& file, const GroupView& view = GroupView::ours());

using config::GroupSetting;

// The settings of a group, and its account: how much of the devices it has had.
struct GroupSettings {
    int32_t share = 0;
    int32_t limit = 100;
    int32_t highest_priority = PRIORITY_MAX;
    uint64_t memory_limit = 0;
    uint64_t memory_guarantee = 0;
    uint64_t account = 0;
    uid_t by = 0;  // the user who asked first
    bool trusted = false;
    bool shares() const { return share != 0 || limit != 100; }
    bool has_memory() const { return memory_limit != 0 || memory_guarantee != 0; }
    bool is_needed() const { return shares() || has_memory() || highest_priority != PRIORITY_MAX; }
};
// All that the next server must know of a group.
struct KeptGroup : GroupSettings {
    std::string path;
};

class Cgroups {
public:
    // Most groups with settings by one ordinary user, by all ordinary users, and by all users.
    static constexpr size_t kMostOfUser = 16;
    static constexpr size_t kMostOfOrdinary = 192;
    static constexpr size_t kMost = 256;

    explicit Cgroups(GroupView view = GroupView::ours());

    // Makes all programs of each group share a device as one, also in groups without settings. Call before tell().
    void share_by_group();
    // Returns whether the peer may set limits of the group: the owner of its directory may, and any trusted user.
    bool may_set(const Peer& peer, const std::string& path) const;
    // Returns whether the group is there, as far as the system tells it in time.
    bool is_there(const std::string& path) const;

    // Puts a setting in force. Returns null, or a sentence why not. `asking`: the user who is charged for a group that
    // had no settings; null: a trusted user. The charged uid is that of the user whose limits count (users.h).
    const char* set(const GroupSetting& setting, const Peer* asking);
    std::vector<KeptGroup> kept() const;
    // Takes over a group's settings from the earlier server. Settings by the owner of a group that is gone are dropped.
    void take_up(const KeptGroup& group);
    // Finds the settings that count for programs of that group. The nearest group above it with a share or limit
    // counts, but one set by a trusted user comes first. The same holds for memory, by itself. Of the ceilings the
    // lowest counts. Returns true if `share` changed.
    bool tell(const std::string& path, dispatch::GroupShare& share) const;

private:
    using Group = GroupSettings;
    static void put(Group& group, const GroupSetting& setting);
    // Returns the group whose settings of one kind count for programs of `path`; null: there is none.
    const Group* nearest(const std::string& path, bool (Group::*has)() const) const;
    // Returns the owner of the group's directory, or kGone or kUnknown.
    int64_t owner_of(const std::string& path) const;
    bool has_room(const Peer* asking) const;

    GroupView view_;
    std::map<std::string, Group> groups_;
    uint64_t accounts_ = 0;
    uint64_t secret_ = 0;  // secret of the accounts' numbers, so that no user can make a group with another group's
                           // number; 0: not chosen yet
};

}  // namespace xsched::server
