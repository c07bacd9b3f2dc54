// The server's view of control groups. If the server runs in a control group namespace of its own, the kernel names
// groups outside as "/../x". Their real names are found if the host's hierarchy is mounted nevertheless. Read once, at
// the start; any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::server {

class GroupView {
public:
    static const GroupView& ours();
    // `sees_all`: the server sees all groups, and `base` is empty. Otherwise `base` is the path of the namespace's root
    // in the hierarchy; "": unknown.
    GroupView(bool sees_all, std::string base, std::vector<std::string> mounts)
        : sees_all_(sees_all), base_(std::move(base)), mounts_(std::move(mounts)) {}

    // Returns whether the server knows the names of groups outside of its control group namespace.
    bool is_complete() const { return sees_all_ || !base_.empty(); }
    // Returns the group's path in the hierarchy, given the text of /proc/PID/cgroup; empty if the group cannot be seen.
    std::string resolve(const std::string& path) const;
    // Returns the places where the hierarchy may be mounted.
    const std::vector<std::string>& mounts() const { return mounts_; }

private:
    bool sees_all_;
    std::string base_;
    std::vector<std::string> mounts_;
};

// A mount of the whole hierarchy, and how many levels below it the namespace's root lies; -1: there is none.
struct WholeMount {
    std::string place;
    int depth = -1;
};
WholeMount whole_mount(const std::string& mountinfo);

// Returns a sentence for each thing that a server in namespaces of its own cannot see; none if it sees all.
std::vector<std::string> blind_spots();

}  // namespace xsched::server
