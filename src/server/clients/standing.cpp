#include "server/clients/standing.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "base/files.h"
#include "base/unique_fd.h"
#include "server/system_files.h"

namespace xsched::server {
namespace {

using Answer = Standing::Answer;

// Constants of linux/nsfs.h (Linux 4.9) and linux/pidfd.h (6.11), since Debian 12's headers lack the latter.
constexpr unsigned long kOwningUserNamespace = _IO(0xb7, 0x1);
constexpr unsigned long kParentNamespace = _IO(0xb7, 0x2);
constexpr unsigned long kPidNamespaceOf = _IO(0xFF, 5);
constexpr unsigned long kUserNamespaceOf = _IO(0xFF, 9);

// Inode numbers of the initial namespaces, the same on every machine (linux/proc_ns.h).
constexpr uint64_t kInitialCgroup = 0xEFFFFFFB;
constexpr uint64_t kInitialPid = 0xEFFFFFFC;

constexpr int kMostLevels = 32;  // most nested namespaces that the kernel allows

struct SpaceKind {
    const char* name;
    unsigned long of_process;
};
constexpr SpaceKind kUsers{"user", kUserNamespaceOf};
constexpr SpaceKind kPids{"pid", kPidNamespaceOf};

uint64_t number_of(int descriptor) {
    struct stat info{};
    return descriptor >= 0 && fstat(descriptor, &info) == 0 ? info.st_ino : 0;
}

uint64_t own_number(const char* name) {
    struct stat info{};
    return stat((std::string("/proc/self/ns/") + name).c_str(), &info) == 0 ? info.st_ino : 0;
}

base::UniqueFd open_namespace(const SpaceKind& kind, int process, pid_t pid, bool by_links) {
    const int found = by_links ? -1 : ioctl(process, kind.of_process, 0);
    if (found >= 0 || pid <= 0) return base::UniqueFd(found);
    return open_system_file("/proc/" + std::to_string(pid) + "/ns/" + kind.name).open;
}

// Returns the topmost namespace below `own` on the way up from `space`. Returns `space` itself if the way does not lead
// to `own`.
base::UniqueFd topmost_below(base::UniqueFd space, uint64_t own) {
    base::UniqueFd at(fcntl(space.get(), F_DUPFD_CLOEXEC, 0));
    for (int level = 0; level < kMostLevels && at; ++level) {
        base::UniqueFd parent(ioctl(at.get(), kParentNamespace));
        if (!parent) break;
        if (number_of(parent.get()) == own) return at;
        at = std::move(parent);
    }
    return space;
}

// Returns how many pid namespaces lie between ours and the process's: the count of numbers in its line "NSpid:". 0: the
// line is missing.
int levels_below(int process) {
    std::ifstream file("/proc/self/fdinfo/" + std::to_string(process));
    for (std::string word; file >> word;) {
        if (word != "NSpid:") continue;
        int levels = 0;
        for (long number = 0; file.peek() != '\n' && file >> number;) levels += number > 0 ? 1 : 0;
        return levels;
    }
    return 0;
}

bool is_alive(int process) {
    pollfd look{process, POLLIN, 0};
    return process >= 0 && poll(&look, 1, 0) == 0;
}

bool has_capability(pid_t pid) {
    __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, pid};
    __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
    return pid > 0 && syscall(SYS_capget, &head, sets) == 0 && (sets[0].effective >> CAP_SYS_ADMIN & 1) != 0;
}

// Returns whether any process can have CAP_SYS_ADMIN here. In a container without that right no process has it; then
// the server is just one of the container's users.
bool somebody_has_capability() {
    static const bool has = [] {
        const std::string status = base::text_of_file("/proc/1/status");
        const size_t at = status.find("CapBnd:");
        unsigned long long bounds = ~0ULL;
        if (at != std::string::npos) sscanf(status.c_str() + at, "CapBnd: %llx", &bounds);
        return (bounds >> CAP_SYS_ADMIN & 1) != 0;
    }();
    return has;
}

void look_at_users(Standing& standing, base::UniqueFd space) {
    static const uint64_t own = own_number(kUsers.name);
    const uint64_t number = number_of(space.get());
    if (number == 0 || own == 0) return;
    standing.same_users = number == own ? Answer::kYes : Answer::kNo;
    if (number != own) standing.user_namespace = number_of(topmost_below(std::move(space), own).get());
}

void look_at_pids(Standing& standing, base::UniqueFd space) {
    static const uint64_t own = own_number(kPids.name);
    const uint64_t number = number_of(space.get());
    if (number == 0 || own == 0) return;
    standing.in_container = number == own || number == kInitialPid ? Answer::kNo : Answer::kYes;
    if (standing.in_container == Answer::kNo) return;
    const base::UniqueFd top = topmost_below(std::move(space), own);
    standing.container = number_of(top.get());
    const base::UniqueFd owner(ioctl(top.get(), kOwningUserNamespace));
    standing.made_by_administrator = !owner || number_of(owner.get()) == own_number(kUsers.name);
}

// Reads the files that any process may read. Only a process that may become any uid can create a user namespace with
// the same mapping as ours, so an equal mapping proves enough.
void look_without_rights(Standing& standing, int process, pid_t pid) {
    if (standing.in_container == Answer::kUnknown) {
        const int levels = levels_below(process);
        if (levels > 0) standing.in_container = levels == 1 ? Answer::kNo : Answer::kYes;
    }
    if (standing.same_users != Answer::kUnknown || pid <= 0) return;
    static const std::string own = base::text_of_file("/proc/self/uid_map");
    const std::string other = read_system_file("/proc/" + std::to_string(pid) + "/uid_map").text;
    if (!own.empty() && !other.empty() && own != other) standing.same_users = Answer::kNo;
    standing.same_mapping = !own.empty() && own == other;
}

Standing look(int process, pid_t pid, bool by_links) {
    Standing standing;
    if (process < 0) return standing;
    look_at_users(standing, open_namespace(kUsers, process, pid, by_links));
    look_at_pids(standing, open_namespace(kPids, process, pid, by_links));
    look_without_rights(standing, process, pid);
    standing.has_rights = has_capability(pid) || !somebody_has_capability();
    // Files read by pid were about this process only if it is still alive now.
    return is_alive(process) ? standing : Standing{};
}

}  // namespace

Standing standing_of(int process, pid_t pid) { return look(process, pid, false); }
Standing standing_by_links(int process, pid_t pid) { return look(process, pid, true); }

bool sees_all_processes() { return own_number("pid") == kInitialPid; }
bool sees_all_groups() { return own_number("cgroup") == kInitialCgroup; }

}  // namespace xsched::server
