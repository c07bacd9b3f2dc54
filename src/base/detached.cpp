#include "base/detached.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/mutex.h"

namespace xsched::base {
namespace {

constexpr int kNotStarted = 127;
constexpr unsigned long kStackBytes = 64UL * 1024;

// Allows one start at a time.
constinit Mutex g_start_mutex;
constinit const DetachedProgram* g_start = nullptr;
alignas(16) char g_start_stacks[2][kStackBytes];

// Runs in a child that shares our memory but not our descriptors, while this thread waits: makes system calls alone.
int become_program(void*) {
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) return kNotStarted;
    for (int standard = 0; standard <= STDERR_FILENO; ++standard)
        if (nothing != standard) dup2(nothing, standard);
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);  // on older kernels without this call the program's
                                                          // descriptors stay open
    execve(g_start->path, g_start->arguments, const_cast<char* const*>(g_start->environment));
    return kNotStarted;
}

// Starts the program as a grandchild. A direct child's exec would restore its exit signal, and the guest would hear of
// its end.
int leave_it_behind(void*) {
    return clone(become_program, g_start_stacks[1] + kStackBytes, CLONE_VM | CLONE_VFORK, nullptr) > 0 ? 0
                                                                                                       : kNotStarted;
}

}  // namespace

bool find_beside_us(const char* const places[], char* path, unsigned long bytes) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&find_beside_us), &info) == 0 || info.dli_fname == nullptr) return false;
    char folder[PATH_MAX];
    if (realpath(info.dli_fname, folder) == nullptr) return false;
    *strrchr(folder, '/') = '\0';
    for (; *places != nullptr; ++places)
        if (snprintf(path, bytes, "%s/%s", folder, *places) < static_cast<int>(bytes) && access(path, X_OK) == 0)
            return true;
    return false;
}

bool start_detached(const DetachedProgram& program) {
    const int before = errno;
    Lock lock(g_start_mutex);
    g_start = &program;
    // No exit signal: neither wait() of the program nor its handler of SIGCHLD sees this child.
    const pid_t child = clone(leave_it_behind, g_start_stacks[0] + kStackBytes, CLONE_VM | CLONE_VFORK, nullptr);
    int status = -1;
    const bool ended = child > 0 && TEMP_FAILURE_RETRY(waitpid(child, &status, __WCLONE)) == child;
    errno = before;
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace xsched::base
