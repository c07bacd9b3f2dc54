// A server's threads by their names; its main thread has the program's.
#pragma once

#include <dirent.h>
#include <sys/types.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

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

// 0: there is none.
inline pid_t thread_named(pid_t pid, const std::string& name) {
    const std::vector<pid_t> found = threads_named(pid, name);
    return found.empty() ? 0 : found.front();
}

}  // namespace xsched::test
