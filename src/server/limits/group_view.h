// The server's view of control groups. In a control group namespace of its own the kernel calls groups outside "/../x";
// their names are found if the host's hierarchy is mounted nevertheless. Read once, at the start; any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::server {

class GroupView {
public:
    static const GroupView& ours();
    // All groups: `base` is empty. Else the path of the namespace's root in the hierarchy; "": it is not known.
    GroupView(bool sees_all, std::string base, std::vector<std::string> mounts)
        : sees_all_(sees_all), base_(std::move(base)), mounts_(std::move(mounts)) {}

    // Whether it knows the names of groups outside.
    bool is_complete() const { return sees_all_ || !base_.empty(); }
    // The group's path in the hierarchy, of what /proc/PID/cgroup says; "": it is outside of what is seen.
    std::string resolve(const std::string& path) const;
    // Where the hierarchy may be.
    const std::vector<std::string>& mounts() const { return mounts_; }

private:
    bool sees_all_;
    std::string base_;
    std::vector<std::string> mounts_;
};

// Where a mount of the whole hierarchy is, and how deep in it the namespace's root; -1: there is none.
struct WholeMount {
    std::string place;
    int depth = -1;
};
WholeMount whole_mount(const std::string& mountinfo);

// A sentence for each thing that a server in namespaces of its own does not see. Empty: it sees all.
std::vector<std::string> blind_spots();

}  // namespace xsched::server
