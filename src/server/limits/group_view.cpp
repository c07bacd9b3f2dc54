#include "server/limits/group_view.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "server/clients/standing.h"

namespace xsched::server {
namespace {

namespace files = std::filesystem;

constexpr size_t kMostLooked = 65536;  // most directories that are searched; "safety": a hierarchy may be as large as
                                       // its users like

bool lists_us(const files::path& group) {
    std::ifstream file(group / "cgroup.procs");
    for (pid_t pid = 0; file >> pid;)
        if (pid == getpid()) return true;
    return false;
}

std::string own_group() {
    std::istringstream lines(base::text_of_file("/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("0::/", 0) == 0) return line.substr(3);
    return "";
}

// Searches the mount for the root of this server's control group namespace: the directory, mount.depth levels below
// the mount, in which the group that the kernel names lists this process. Returns its path in the mount; empty: not
// found.
std::string find_base(const WholeMount& mount) {
    const std::string own = own_group();
    std::error_code error;
    size_t looked = 0;
    files::recursive_directory_iterator at(mount.place, files::directory_options::skip_permission_denied, error);
    for (; !error && at != files::recursive_directory_iterator() && ++looked < kMostLooked; at.increment(error)) {
        if (!at->is_directory(error)) continue;
        if (at.depth() + 1 < mount.depth) continue;
        at.disable_recursion_pending();
        if (lists_us(at->path().string() + own)) return at->path().string().substr(mount.place.size());
    }
    return "";
}

GroupView look() {
    if (sees_all_groups()) return {true, "", {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}};
    const WholeMount mount = whole_mount(base::text_of_file("/proc/self/mountinfo"));
    if (mount.depth <= 0) return {false, "", {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}};
    return {false, find_base(mount), {mount.place}};
}

}  // namespace

const GroupView& GroupView::ours() {
    static const GroupView view = look();
    return view;
}

std::string GroupView::resolve(const std::string& path) const {
    if (sees_all_) return path;
    constexpr char kUp[] = "/..";
    constexpr size_t kUpBytes = sizeof(kUp) - 1;
    std::string base = base_;
    std::string rest = path;
    while (rest.rfind(kUp, 0) == 0 && (rest.size() == kUpBytes || rest[kUpBytes] == '/')) {
        if (base.empty()) return "";
        base.resize(base.rfind('/'));
        rest.erase(0, kUpBytes);
    }
    const std::string whole = base + (rest == "/" && !base.empty() ? "" : rest);
    return whole.empty() ? "/" : whole;
}

// Finds a mount of the whole hierarchy. The kernel names its root relative to the namespace's root: "/../.." lies two
// levels above.
WholeMount whole_mount(const std::string& mountinfo) {
    WholeMount found;
    std::istringstream lines(mountinfo);
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" - cgroup2 ") == std::string::npos) continue;
        std::istringstream words(line);
        std::string skipped;
        std::string root;
        std::string place;
        words >> skipped >> skipped >> skipped >> root >> place;
        int depth = 0;
        while (root.rfind("/..", 0) == 0) {
            root.erase(0, 3);
            ++depth;
        }
        if ((root.empty() || (depth == 0 && root == "/")) && depth > found.depth) found = {place, depth};
    }
    return found;
}

std::vector<std::string> blind_spots() {
    std::vector<std::string> spots;
    if (!sees_all_processes())
        spots.emplace_back(
            "the server is in a pid namespace of its own: programs outside of it are known by the numbers that they "
            "give, and root outside is an ordinary user; start it in the host's (hostPID: true, --pid=host)");
    if (!GroupView::ours().is_complete())
        spots.emplace_back(
            "the server is in a control group namespace of its own and does not see the groups of programs outside of "
            "it: no share or limit of these counts; start it in the host's (--cgroupns=host), or mount the host's "
            "/sys/fs/cgroup");
    return spots;
}

}  // namespace xsched::server
