// Reads small files of the system, such as those of /proc. A file there can be opened and then refuse to be read, and a
// folder can vanish while its names are read; the standard library's iterators throw in both cases. Nothing here throws
// for a file: whatever cannot be read is left out. Any thread.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace xsched::base {

// Returns the file's bytes, as far as they can be read.
inline std::string text_of_file(const std::string& path) {
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    char part[4096];
    while (true) {
        const ssize_t bytes = read(file.get(), part, sizeof part);
        if (bytes > 0) text.append(part, static_cast<size_t>(bytes));
        if (bytes == 0 || (bytes < 0 && errno != EINTR)) return text;
    }
}

// Returns the names in the folder, sorted, without "." and "..".
inline std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    DIR* open_folder = opendir(folder.c_str());
    if (open_folder == nullptr) return names;
    while (const dirent* entry = readdir(open_folder)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    closedir(open_folder);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace xsched::base
