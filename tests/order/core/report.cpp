#include "order/core/report.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace order {
namespace {

constexpr int64_t kMostPrinted = 20;

struct State {
    std::atomic<const char*> name{nullptr};
    std::atomic<const char*> what{"starting"};
    std::atomic<bool> used{false};
};

std::atomic<int64_t> g_violations{0};
State g_states[64];
thread_local State* t_state = nullptr;

constexpr int kMostFrames = 48;
std::atomic<pid_t> g_shown{0};  // the thread whose frames are out

int signal_for_frames() { return SIGRTMIN + 5; }

void show_frames(int) {
    const int saved = errno;
    void* frames[kMostFrames];
    backtrace_symbols_fd(frames, backtrace(frames, kMostFrames), STDERR_FILENO);
    g_shown.store(static_cast<pid_t>(syscall(SYS_gettid)));
    errno = saved;
}

// Reads a thread's name from /proc.
void name_of(pid_t thread, char* name, size_t size) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/comm", static_cast<int>(thread));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t count = file >= 0 ? read(file, name, size - 1) : 0;
    if (file >= 0) close(file);
    name[count > 0 ? count - 1 : 0] = '\0';
}

// Every thread shows where it is, one after the other. A thread that blocks the signal or waits in the kernel without
// being interruptible is left out.
void show_threads() {
    struct sigaction action{};
    action.sa_handler = show_frames;
    action.sa_flags = SA_RESTART;
    sigaction(signal_for_frames(), &action, nullptr);
    DIR* tasks = opendir("/proc/self/task");
    if (tasks == nullptr) return;
    while (const dirent* task = readdir(tasks)) {
        const auto thread = static_cast<pid_t>(std::atoi(task->d_name));
        if (thread <= 0 || thread == static_cast<pid_t>(syscall(SYS_gettid))) continue;
        char name[32];
        name_of(thread, name, sizeof name);
        std::fprintf(stderr, "order_check: thread %d (%s):\n", static_cast<int>(thread), name);
        g_shown = 0;
        if (syscall(SYS_tgkill, getpid(), thread, signal_for_frames()) != 0) continue;
        for (int i = 0; i < 500 && g_shown.load() != thread; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (g_shown.load() != thread) std::fprintf(stderr, "  it does not answer\n");
    }
    closedir(tasks);
}

[[noreturn]] void stalled(int seconds) {
    std::fprintf(stderr, "order_check: STALLED: no operation finished for %d s after %lld operations\n", seconds,
                 static_cast<long long>(g_operations.load()));
    for (const State& state : g_states) {
        if (state.used.load()) std::fprintf(stderr, "  %s: in %s\n", state.name.load(), state.what.load());
    }
    show_threads();
    std::printf("operations %lld, violations %lld, stalled\n", static_cast<long long>(g_operations.load()),
                static_cast<long long>(violations()));
    std::fflush(stdout);
    _exit(3);
}

}  // namespace

std::atomic<int64_t> g_operations{0};

void violation(const char* format, ...) {
    if (g_violations.fetch_add(1) >= kMostPrinted) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "order_check: violation after %lld operations: %s\n",
                 static_cast<long long>(g_operations.load()), line);
}

int64_t violations() { return g_violations.load(); }

void expect_success(int code, const char* call) {
    if (code != 0) violation("%s returned %d", call, code);
}

Activity::Activity(const char* name) {
    for (State& state : g_states) {
        if (state.used.exchange(true)) continue;
        state.name = name;
        t_state = &state;
        return;
    }
}

Activity::~Activity() {
    if (t_state != nullptr) t_state->used = false;
    t_state = nullptr;
}

void Activity::set(const char* what) {
    if (t_state != nullptr) t_state->what.store(what, std::memory_order_relaxed);
}

void start_watchdog(int seconds) {
    void* frame = nullptr;
    backtrace(&frame, 1);  // loads what it needs, which a signal handler must not
    std::thread([seconds] {
        using Clock = std::chrono::steady_clock;
        int64_t seen = -1;
        auto since = Clock::now();
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            if (const int64_t now = g_operations.load(); now != seen) {
                seen = now;
                since = Clock::now();
            } else if (Clock::now() - since > std::chrono::seconds(seconds)) {
                stalled(seconds);
            }
        }
    }).detach();
}

}  // namespace order
