#include "agent/server_start.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "base/options.h"

namespace xsched::agent {
namespace {

constexpr size_t kStackBytes = size_t{64} * 1024;
constexpr size_t kMostVariables = 4096;
// From the folder of libpreempt: in a build tree and with LIBDIR=lib; with LIBDIR=lib/TRIPLE.
constexpr const char* kPlaces[] = {"../bin/xserver", "../../bin/xserver"};
// What is meant for the program is not for the server.
constexpr const char* kLeftOut[] = {"LD_PRELOAD=", "LD_AUDIT=", "XLOG_FILE=", "OPENCL_LAYERS="};

char g_path[PATH_MAX];
const char* g_environment[kMostVariables + 1];

// Beside the library that this code is in.
bool find_server() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&find_server), &info) == 0 || info.dli_fname == nullptr) return false;
    char folder[PATH_MAX];
    if (realpath(info.dli_fname, folder) == nullptr) return false;
    *strrchr(folder, '/') = '\0';
    for (const char* place : kPlaces)
        if (snprintf(g_path, sizeof(g_path), "%s/%s", folder, place) < static_cast<int>(sizeof(g_path)) &&
            access(g_path, X_OK) == 0)
            return true;
    return false;
}

bool left_out(const char* variable) {
    for (const char* name : kLeftOut)
        if (strncmp(variable, name, strlen(name)) == 0) return true;
    return false;
}

void copy_environment() {
    size_t count = 0;
    for (char** it = environ; it != nullptr && *it != nullptr && count < kMostVariables; ++it)
        if (!left_out(*it)) g_environment[count++] = *it;
    g_environment[count] = nullptr;
}

// In a child that shares our memory, with its own descriptors, while this thread stands: system calls alone.
int become_server(void*) {
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) return 127;
    for (int standard = 0; standard <= STDERR_FILENO; ++standard)
        if (nothing != standard) dup2(nothing, standard);
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);  // older kernels: the program's descriptors stay open
    char option[] = "--background";
    char* arguments[] = {g_path, option, nullptr};
    execve(g_path, arguments, const_cast<char**>(g_environment));
    return 127;
}

alignas(16) char g_stacks[2][kStackBytes];

// exec gives a child the exit signal of any other, so that the program would hear of its end: it is a grandchild.
int leave_it_behind(void*) {
    return clone(become_server, g_stacks[1] + kStackBytes, CLONE_VM | CLONE_VFORK, nullptr) > 0 ? 0 : 127;
}

bool run_to_end() {
    const int before = errno;
    // No exit signal: neither wait() of the program nor its handler of SIGCHLD sees this child.
    const pid_t child = clone(leave_it_behind, g_stacks[0] + kStackBytes, CLONE_VM | CLONE_VFORK, nullptr);
    int status = -1;
    const bool ended = child > 0 && TEMP_FAILURE_RETRY(waitpid(child, &status, __WCLONE)) == child;
    errno = before;
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool may_start_server() {
    const char* named = secure_getenv("XSCHED_SOCKET");
    return base::options().start_server != 0 && (named == nullptr || *named == '\0') && getauxval(AT_SECURE) == 0;
}

const char* start_server() {
    if (!find_server()) return "no xserver is installed beside the library";
    copy_environment();
    return run_to_end() ? nullptr : "xserver could not be started";
}

}  // namespace xsched::agent
