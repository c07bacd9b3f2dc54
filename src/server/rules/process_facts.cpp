#include "server/rules/process_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <vector>

#include "base/unique_fd.h"

namespace xsched::server {
namespace {

// Bytes of a command line that rules see. "Safety": a longer one costs the server time for each pattern.
constexpr size_t kMostCommandBytes = 2048;
constexpr size_t kMostNameBytes = 64;  // of the kernel's 16

std::string read_some(const std::string& path, size_t most) {
    const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text(most, '\0');
    ssize_t bytes = file ? -1 : 0;
    while (bytes < 0) {
        bytes = read(file.get(), text.data(), text.size());
        if (bytes < 0 && errno != EINTR) bytes = 0;
    }
    text.resize(static_cast<size_t>(bytes));
    return text;
}

std::string target_of(const std::string& link) {
    char target[PATH_MAX];
    const ssize_t bytes = readlink(link.c_str(), target, sizeof(target));
    return {target, bytes > 0 ? static_cast<size_t>(bytes) : 0};
}

// Takes the text up to the next zero byte.
std::string take_word(std::string& text) {
    const size_t end = text.find('\0');
    std::string word = text.substr(0, end);
    text.erase(0, end == std::string::npos ? end : end + 1);
    return word;
}

}  // namespace

std::string read_process_facts(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/";
    std::string name = read_some(folder + "comm", kMostNameBytes);
    if (name.empty()) return "";
    if (name.back() == '\n') name.pop_back();
    return target_of(folder + "exe") + '\0' + name + '\0' + read_some(folder + "cmdline", kMostCommandBytes);
}

config::Program program_of(const std::string& facts, const std::string& told_name) {
    if (facts.empty()) return config::program_of("", told_name, {});
    std::string rest = facts;
    std::string path = take_word(rest);
    const std::string name = take_word(rest);
    std::vector<std::string> words;
    while (!rest.empty()) words.push_back(take_word(rest));
    return config::program_of(std::move(path), name, words);
}

}  // namespace xsched::server
