// A server's threads by their names (its main thread has the program's), and whether one stands in the kernel.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "support/eventually.h"

namespace xsched::test {

inline std::vector<pid_t> threads_named(pid_t pid, const std::string& name) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/task";
    DIR* list = opendir(folder.c_str());
    std::vector<pid_t> found;
    while (const dirent* entry = list != nullptr ? readdir(list) : nullptr) {
        if (entry->d_name[0] == '.') continue;  // "..": the process, which has a name too
        std::string comm;
        std::getline(std::ifstream(folder + "/" + entry->d_name + "/comm"), comm);
        if (comm == name) found.push_back(atoi(entry->d_name));
    }
    if (list != nullptr) closedir(list);
    return found;
}

// Waits for it: a server names its threads a moment after it is ready. Returns 0 if there is none.
inline pid_t thread_named(pid_t pid, const std::string& name) {
    std::vector<pid_t> found;
    eventually([&] { return !(found = threads_named(pid, name)).empty(); });
    return found.empty() ? 0 : found.front();
}

// Sees whether one thread sleeps in the kernel and cannot be woken: for a lock, a page or a disk. A peer must not be
// able to bring that about. Its file is opened once: a look-up of new names in /proc may take long beside an attack.
class ThreadState {
public:
    ThreadState(pid_t process, pid_t thread)
        : folder_("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread)),
          stat_(open((folder_ + "/stat").c_str(), O_RDONLY | O_CLOEXEC)) {}
    bool blocked() const {
        char text[512];
        const ssize_t bytes = pread(stat_.get(), text, sizeof(text) - 1, 0);
        if (bytes <= 0) return false;
        text[bytes] = '\0';
        const char* const name_end = strrchr(text, ')');
        return name_end != nullptr && name_end[1] == ' ' && name_end[2] == 'D';
    }
    std::string stack() const {
        std::ifstream file(folder_ + "/stack");
        return {std::istreambuf_iterator<char>(file), {}};
    }

private:
    std::string folder_;
    base::UniqueFd stat_;
};

}  // namespace xsched::test
