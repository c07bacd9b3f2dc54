#include "cli/doctor/machine.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/files.h"
#include "base/unique_fd.h"
#include "cli/doctor/shared_object.h"
#include "host/library_search.h"

namespace xsched::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostIncludes = 4;  // most nested includes of ld.so.conf

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

void add_once(std::vector<std::string>& list, const std::string& entry) {
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
}

// Reads folders from a file like /etc/ld.so.conf. An include names all files of a folder with one ending.
void read_linker_file(const Machine& machine, const std::string& path, int depth, std::vector<std::string>& folders) {
    for (const std::string& line : machine.lines(path)) {
        if (line.front() == '/') add_once(folders, line);
        if (!line.starts_with("include ") || depth == kMostIncludes) continue;
        const fs::path pattern = fs::path(path).parent_path() / trimmed(line.substr(sizeof "include"));
        const std::string folder = pattern.parent_path();
        for (const std::string& name :
             machine.names(folder, pattern.stem() == "*" ? "" : pattern.stem().string(), pattern.extension()))
            read_linker_file(machine, folder + "/" + name, depth + 1, folders);
    }
}

}  // namespace

std::optional<std::vector<std::string>> Machine::functions(const std::string& path) const {
    return exported_functions(below(real_path(path)));
}

bool Machine::exists(const std::string& path) const {
    std::error_code error;
    return fs::exists(below(path), error);
}

std::vector<std::string> Machine::lines(const std::string& path) const {
    std::ifstream file(below(path));
    std::vector<std::string> found;
    for (std::string line; std::getline(file, line);)
        if (line = trimmed(line); !line.empty() && line.front() != '#') found.push_back(line);
    return found;
}

std::optional<std::string> Machine::first_line(const std::string& path) const {
    std::ifstream file(below(path));
    std::string line;
    if (!std::getline(file, line)) return {};
    return trimmed(line);
}

std::vector<std::string> Machine::names(const std::string& folder, const std::string& begin,
                                        const std::string& end) const {
    std::vector<std::string> found;
    for (const std::string& name : base::names_in(below(folder)))
        if (name.starts_with(begin) && name.ends_with(end)) found.push_back(name);
    return found;
}

int Machine::try_open(const std::string& path) const {
    const base::UniqueFd file(open(below(path).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    return file ? 0 : errno;
}

std::string Machine::real_path(const std::string& path) const {
    std::error_code error;
    const std::string real = fs::canonical(below(path), error);
    return !error && real.starts_with(root_) ? real.substr(root_.size()) : path;
}

std::vector<std::string> Machine::linker_folders() const {
    std::vector<std::string> folders;
    if (const char* chosen = is_this() ? getenv("LD_LIBRARY_PATH") : nullptr) {
        std::istringstream list(chosen);
        for (std::string folder; std::getline(list, folder, ':');)
            if (!folder.empty()) add_once(folders, folder);
    }
    read_linker_file(*this, "/etc/ld.so.conf", 0, folders);
    for (const char* folder : stream::kSystemFolders) add_once(folders, folder);
    return folders;
}

std::vector<std::string> Machine::libraries(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> folders = linker_folders();
    for (const std::string& folder : more) add_once(folders, folder);
    std::vector<std::string> found;
    std::vector<std::string> real;  // paths without links, since a file may have many names
    for (const std::string& folder : folders)
        for (const std::string& file : names(folder, name, "")) {
            const std::string path = folder + "/" + file;
            const std::string target = real_path(path);
            if (!exists(path) || fs::path(target).filename().string().starts_with("libshim")) continue;
            if (std::find(real.begin(), real.end(), target) != real.end()) continue;
            real.push_back(target);
            found.push_back(path);
        }
    return found;
}

}  // namespace xsched::cli
