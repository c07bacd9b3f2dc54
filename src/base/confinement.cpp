#include "base/confinement.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace xsched::base {
namespace {

constexpr size_t kStatusBytes = 4096;  // the kernel writes some 1,500 bytes

constinit std::atomic<int> g_status{-1};
constinit std::atomic<dev_t> g_device{0};
constinit std::atomic<ino_t> g_inode{0};
constinit std::atomic<long> g_filters{0};
constinit std::atomic<bool> g_free_before{false};  // true: neither the first thread nor the one that called
                                                   // note_confinement had a filter then
constinit std::atomic<bool> g_entered{false};
constinit std::atomic<bool (*)()> g_ask{nullptr};

long number_behind(const char* text, const char* name) {
    const char* found = strstr(text, name);
    return found != nullptr ? strtol(found + strlen(name), nullptr, 10) : 0;
}

// Returns how many seccomp filters the process has; before Linux 5.9, whether there is any. Returns -1 if it cannot be
// told.
long count_filters(int status) {
    char text[kStatusBytes + 1];
    const ssize_t bytes = pread(status, text, kStatusBytes, 0);
    if (bytes <= 0) return -1;
    text[bytes] = '\0';
    return number_behind(text, "\nSeccomp:") + number_behind(text, "\nSeccomp_filters:");
}

// Returns whether the descriptor is still ours: the program may have closed it, and another file may have its number
// now.
bool is_ours(int status) {
    struct stat info{};
    return status >= 0 && fstat(status, &info) == 0 && info.st_dev == g_device.load() && info.st_ino == g_inode.load();
}

bool thread_has_filter() {
    const int mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    return mode > 0 || (mode < 0 && errno != EINVAL);  // mode < 0: a filter refuses the question; EINVAL: a kernel
                                                       // without seccomp
}

// Returns whether this thread alone has got a filter. Opening its file in /proc may be forbidden by that filter, so the
// kernel is asked instead. Its answer counts only if the thread had no filter before.
bool thread_is_confined() { return g_free_before.load() && syscall(SYS_gettid) != getpid() && thread_has_filter(); }

}  // namespace

void note_confinement() {
    if (entered_sandbox()) return;  // in a forked child: its parent had entered a sandbox
    const int before = g_status.exchange(-1);
    if (is_ours(before)) close(before);
    const int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    struct stat info{};
    if (status < 0 || fstat(status, &info) != 0) return;
    g_device = info.st_dev;
    g_inode = info.st_ino;
    g_filters = count_filters(status);
    g_free_before = g_filters == 0 && !thread_has_filter();
    g_status = status;
}

bool entered_sandbox() {
    if (auto* const ask = g_ask.load(std::memory_order_relaxed)) return ask();
    if (g_entered.load() || thread_is_confined()) return true;
    const int status = g_status.load();
    if (!is_ours(status)) return false;
    const bool entered = count_filters(status) > g_filters.load();
    if (entered) g_entered = true;
    return entered;
}

void ask_about_sandbox(bool (*ask)()) { g_ask.store(ask, std::memory_order_relaxed); }

}  // namespace xsched::base
