#include "console/command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace xsched::console {
namespace {

constexpr int kMostMs = 10000;           // safety: a task starts late rather than never; xcli takes 20 ms
constexpr size_t kMostBytes = 16 << 20;  // safety: an environment has at most 6 MiB on Linux

using Clock = std::chrono::steady_clock;

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> all;
    for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
    all.push_back(nullptr);
    return all;
}

// Reads a program's output until its end. Returns false if the end has not come in time.
bool read_all(int from, std::string& text) {
    const auto end = Clock::now() + std::chrono::milliseconds(kMostMs);
    char some[4096];
    while (text.size() < kMostBytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd wait{from, POLLIN, 0};
        if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) == 0) return false;
        const ssize_t bytes = read(from, some, sizeof(some));
        if (bytes == 0) return true;
        if (bytes > 0) text.append(some, static_cast<size_t>(bytes));
        if (bytes < 0 && errno != EINTR) return false;
    }
    return false;
}

}  // namespace

std::vector<std::string> own_environment() {
    std::vector<std::string> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) all.emplace_back(*entry);
    return all;
}

Printed run_command(const std::vector<std::string>& words, const std::vector<std::string>& environment, Errors errors) {
    Printed printed;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return printed;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (errors == Errors::kTogether) posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t child = 0;
    const int error =
        posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers(words).data(), pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0) {
        const bool in_time = read_all(ends[0], printed.text);
        if (!in_time) kill(child, SIGKILL);
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        printed.well = in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    close(ends[0]);
    return printed;
}

}  // namespace xsched::console
