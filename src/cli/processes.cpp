#include "cli/processes.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "base/files.h"
#include "base/unique_fd.h"

namespace xsched::cli {
namespace {

constexpr int kMostAncestors = 64;  // safety: numbers may be used again while we look

struct Stat {
    char state = 'X';
    pid_t parent = 0;
    uint64_t started = 0;
};

// Reads fields 3, 4 and 22 of /proc/pid/stat (proc(5)).
Stat stat_of(pid_t pid) {
    const std::string text = base::text_of_file("/proc/" + std::to_string(pid) + "/stat");
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return {};
    std::istringstream fields(text.substr(name_end + 1));
    Stat stat;
    std::string skipped;
    fields >> stat.state >> stat.parent;
    for (int field = 5; field < 22; ++field) fields >> skipped;
    fields >> stat.started;
    return stat;
}

bool has_ended(const Stat& stat) { return stat.state == 'Z' || stat.state == 'X'; }

}  // namespace

bool ProcessMark::runs() const {
    if (started == 0) return false;
    const Stat now = stat_of(pid);
    return !has_ended(now) && now.started == started;
}

void ProcessMark::send(int signal) const {
    const base::UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (process && runs()) syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);
}

ProcessMark mark_of(pid_t pid) {
    const Stat stat = stat_of(pid);
    return {pid, has_ended(stat) ? 0 : stat.started};
}

pid_t parent_of(pid_t pid) { return stat_of(pid).parent; }

bool belongs_to(pid_t pid, pid_t ancestor) {
    for (int i = 0; i < kMostAncestors && pid > 1; ++i, pid = parent_of(pid))
        if (pid == ancestor) return true;
    return false;
}

std::vector<ProcessMark> family_of(pid_t ancestor) {
    std::vector<ProcessMark> family;
    for (const pid_t pid : all_processes())
        if (belongs_to(pid, ancestor)) family.push_back(mark_of(pid));
    return family;
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> found;
    for (const std::string& name : base::names_in("/proc"))
        if (name.find_first_not_of("0123456789") == std::string::npos)
            found.push_back(static_cast<pid_t>(std::stol(name)));
    return found;
}

}  // namespace xsched::cli
