#include "server/limits/group_room.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>

namespace xsched::server {
namespace {

// A larger limit than this counts as no limit: control groups of version 1 show a missing limit as the largest number
// of whole pages.
constexpr int64_t kAlmostNoLimit = int64_t{1} << 60;

// Reads a limit. "max", or a missing file, means no limit.
int64_t number_in(const std::string& path) {
    std::ifstream file(path);
    int64_t number = 0;
    return file >> number && number >= 0 && number < kAlmostNoLimit ? number : GroupRoom::kNoLimit;
}

// Returns the least number in these files of the group and of the groups above it. Skips groups that are not mounted
// here: in a container its own group is the root of the mount.
int64_t least_above(const std::string& mount, std::string group, std::initializer_list<const char*> files) {
    int64_t least = GroupRoom::kNoLimit;
    for (;; group.resize(group.rfind('/'))) {
        for (const char* file : files) least = std::min(least, number_in(mount + group + "/" + file));
        if (group.rfind('/') == std::string::npos) return least;
    }
}

bool has_controller(const std::string& list, const std::string& name) {
    return ("," + list + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

GroupRoom room_of_groups(const std::string& groups, const std::string& root) {
    GroupRoom room;
    std::ifstream file(groups);
    for (std::string line; std::getline(file, line);) {  // "4:memory:/a/b", or "0::/a/b" of version 2
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string group = line.substr(second + 1);
        // A path with "/.." names a group outside of what is mounted here, so the mount's root is read instead.
        if (group.find("/..") != std::string::npos || group == "/") group.clear();
        const auto look = [&](int64_t& least, const std::string& mount, std::initializer_list<const char*> files) {
            least = std::min(least, least_above(root + mount, group, files));
        };
        for (const char* mount : {"", "/unified"}) {
            if (!controllers.empty()) break;
            look(room.memory_bytes, mount, {"memory.max", "memory.high"});
            look(room.processes, mount, {"pids.max"});
        }
        if (has_controller(controllers, "memory")) look(room.memory_bytes, "/memory", {"memory.limit_in_bytes"});
        if (has_controller(controllers, "pids")) look(room.processes, "/pids", {"pids.max"});
    }
    return room;
}

}  // namespace xsched::server
