#include "cli/doctor/hung_child.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace xsched::cli {
namespace {

constexpr size_t kMostThreads = 200;    // most threads of a group that are described; HIP programs have some 20 each
constexpr size_t kMostStack = 2048;     // most bytes of a kernel stack

// Returns the file's first bytes without the ends of lines behind them. The kernel shows a thread's stack to root only,
// for others the text is empty.
std::string beginning_of_file(const std::string& path) {
    std::string text = base::text_of_file(path);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
    return text.substr(0, kMostStack);
}

std::vector<pid_t> numbers_in(const std::string& folder) {
    std::vector<pid_t> found;
    for (const std::string& name : base::names_in(folder))
        if (std::all_of(name.begin(), name.end(), base::is_digit)) found.push_back(static_cast<pid_t>(std::stol(name)));
    std::sort(found.begin(), found.end());
    return found;
}

// The fields behind the name in /proc/PID/stat: state, parent and group (proc(5)).
struct Stat {
    std::string state;
    pid_t group = 0;
};
Stat stat_of(const std::string& folder) {
    const std::string text = beginning_of_file(folder + "/stat");
    Stat stat;
    pid_t parent = 0;
    if (const size_t name_end = text.rfind(')'); name_end != std::string::npos)
        std::istringstream(text.substr(name_end + 1)) >> stat.state >> parent >> stat.group;
    return stat;
}

std::vector<pid_t> processes_of(pid_t group) {
    std::vector<pid_t> found = numbers_in("/proc");
    std::erase_if(found, [&](pid_t pid) { return stat_of("/proc/" + std::to_string(pid)).group != group; });
    return found;
}

bool catches(pid_t pid, int signal) {
    std::istringstream lines(beginning_of_file("/proc/" + std::to_string(pid) + "/status"));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
    return false;
}

Json thread(pid_t process, pid_t id) {
    const std::string folder = "/proc/" + std::to_string(process) + "/task/" + std::to_string(id);
    Json found = {{"process", process}, {"thread", id}, {"state", stat_of(folder).state}};
    for (const auto& [key, file] :
         {std::pair{"name", "comm"}, {"wchan", "wchan"}, {"syscall", "syscall"}, {"kernel_stack", "stack"}})
        if (const std::string text = beginning_of_file(folder + "/" + file); !text.empty()) found[key] = text;
    return found;
}

}  // namespace

Json threads_of_group(pid_t group) {
    Json found = Json::array();
    for (const pid_t process : processes_of(group))
        for (const pid_t id : numbers_in("/proc/" + std::to_string(process) + "/task"))
            if (found.size() < kMostThreads) found.push_back(thread(process, id));
    return found;
}

void ask_for_stacks(pid_t group) {
    for (const pid_t process : processes_of(group)) {
        if (!catches(process, SIGUSR1)) continue;
        for (const pid_t id : numbers_in("/proc/" + std::to_string(process) + "/task"))
            syscall(SYS_tgkill, process, id, SIGUSR1);
    }
}

}  // namespace xsched::cli
