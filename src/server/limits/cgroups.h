// Shares, limits and ceilings of control groups (cgroup v2): programs in one share as one, whoever they belong to. A
// program's group is read when it connects; a group counts with all groups below it that have nothing of their own. A
// ceiling (the highest priority) counts for all groups below it, whatever these have. Front thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/user_limits.h"
#include "server/clients/peer.h"
#include "server/limits/group_view.h"
#include "xsched/types.h"

namespace xsched::server {

// "/user.slice/app.slice", printable; "": none, or it cannot be read. Of a long one as much as the path of a group with
// a share or limit may have. `known`: gets whether the system said so in time (system_files.h).
std::string cgroup_of(pid_t pid, bool* known = nullptr);
// The same of what /proc/PID/cgroup says.
std::string cgroup_in(const std::string& file, const GroupView& view = GroupView::ours());

// "/user.slice/app.slice:share=30"
struct GroupSetting {
    enum class What { kShare, kLimit, kHighestPriority };

    std::string path;
    What what = What::kShare;
    int32_t value = 0;
};

// All that is known of a group, for the next server. Its account is part of it: it says what the group has had.
struct KeptGroup {
    std::string path;
    int32_t share = 0;
    int32_t limit = 100;
    int32_t highest_priority = PRIORITY_MAX;
    uint64_t account = 0;
    uid_t by = 0;
    bool trusted = false;
};

class Cgroups {
public:
    // Of one ordinary user, of all of these together, and of all users.
    static constexpr size_t kMostOfUser = 16;
    static constexpr size_t kMostOfOrdinary = 192;
    static constexpr size_t kMost = 256;

    explicit Cgroups(GroupView view = GroupView::ours());

    // All programs of a group share a device as one, also where nothing was said of any group. Before any is told.
    void share_by_group();
    // Whether a setting is meant for a group.
    static bool is_about(const std::string& text) { return !text.empty() && text.front() == '/'; }
    // Throws std::runtime_error with a sentence.
    static GroupSetting read(const std::string& text);
    // The owner of the group's directory may, and whoever is trusted.
    bool may_set(const Peer& peer, const std::string& path) const;

    // Null: it is in force; else why not. The caller is charged for a group that had nothing; null: a trusted one. The
    // uid is that of the user whose limits count (users.h).
    const char* set(const GroupSetting& setting, const Peer* asking);
    std::vector<KeptGroup> kept() const;
    // One of the server before this one. Its owner's words about a group that has gone are forgotten.
    void take_up(const KeptGroup& group);
    // Finds the setting that counts for a program of that group: of the groups above it the nearest that has a share or
    // limit, and before all others one that a trusted user set; the lowest ceiling of all. True: it is other than
    // before.
    bool tell(const std::string& path, dispatch::GroupShare& share) const;

private:
    struct Group {
        int32_t share = 0;
        int32_t limit = 100;
        int32_t highest_priority = PRIORITY_MAX;
        uint64_t account = 0;
        uid_t by = 0;  // who asked first
        bool trusted = false;
        bool shares() const { return share != 0 || limit != 100; }
    };
    // Of the directory, or kGone or kUnknown.
    int64_t owner_of(const std::string& path) const;
    bool has_room(const Peer* asking) const;

    GroupView view_;
    std::map<std::string, Group> groups_;
    uint64_t accounts_ = 0;
    uint64_t secret_ = 0;  // of accounts by path, so that nobody makes a group that has another's; 0: there are none
};

}  // namespace xsched::server
