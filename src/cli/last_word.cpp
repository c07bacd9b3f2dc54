#include "cli/last_word.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace xsched::cli {
namespace {

// Returns whether orphans become children of this process. Then the program would be told of the end of the process
// that we fork here, which it does not know.
bool adopts_orphans() {
    int adopts = 0;
    return getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &adopts) != 0 || adopts != 0;
}

// Sets the name that ps shows, so that pgrep -f does not find the program's own command line twice.
void rename_to(const std::string& text) {
    constexpr int kBegin = 48, kEnd = 49;  // addresses of the command line: fields of /proc/pid/stat (proc(5))
    std::ifstream file("/proc/self/stat");
    std::string line, word;
    std::getline(file, line);
    uintptr_t begin = 0, end = 0;
    size_t at = line.rfind(") ") + 2;
    for (int field = 3; field <= kEnd && at < line.size(); ++field, at = line.find(' ', at) + 1) {
        if (field == kBegin) begin = strtoull(line.c_str() + at, nullptr, 10);
        if (field == kEnd) end = strtoull(line.c_str() + at, nullptr, 10);
    }
    if (begin == 0 || end <= begin) return;
    auto* words = reinterpret_cast<char*>(begin);
    memset(words, 0, end - begin);
    memcpy(words, text.c_str(), std::min<size_t>(text.size(), end - begin - 1));
}

// Closes all files but `program` and `hears` (moved to 3 and 4) and standard error.
void let_go_of_files(int program, int hears) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
    }
    const int kept = fcntl(hears, F_DUPFD_CLOEXEC, 10);
    dup2(fcntl(program, F_DUPFD_CLOEXEC, 10), 3);
    dup2(kept, 4);
    close_range(5, ~0U, 0);
    if (chdir("/") != 0) return;
}

[[noreturn]] void wait_apart(pid_t pid, int program, int hears, const std::function<void()>& say) {
    setsid();
    if (fork() != 0) _exit(0);
    let_go_of_files(program, hears);
    rename_to("xcli: waits for the end of " + std::to_string(pid));
    char withdrawn = 0;
    ssize_t bytes = 0;
    while ((bytes = read(4, &withdrawn, 1)) < 0 && errno == EINTR) {
    }
    if (bytes != 0) _exit(0);
    pollfd end{.fd = 3, .events = POLLIN, .revents = 0};
    while (poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
    say();
    fflush(stderr);
    _exit(0);
}

}  // namespace

LastWord::LastWord(const std::function<void()>& say) {
    if (adopts_orphans()) return;
    const pid_t pid = getpid();
    const base::UniqueFd program(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    int ends[2];
    if (!program || pipe2(ends, O_CLOEXEC) != 0) return;
    const base::UniqueFd hears(ends[0]);
    withdraws_.reset(ends[1]);
    const pid_t child = fork();
    if (child == 0) {
        withdraws_.reset();
        wait_apart(pid, program.get(), hears.get(), say);
    }
    while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void LastWord::withdraw() {
    if (withdraws_ && write(withdraws_.get(), "", 1) == 1) withdraws_.reset();
}

}  // namespace xsched::cli
