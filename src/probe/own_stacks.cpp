#include "probe/own_stacks.h"

#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace xsched::probe {
namespace {

constexpr int kMostFrames = 48;  // the deepest stack that is printed; below a runtime's callback there are some 30
                                 // frames

// Prints the stack, in a signal handler. backtrace() was called once before, so that its library is loaded.
void tell(int) {
    char line[64];
    const int length = snprintf(line, sizeof line, "stack of thread %ld:\n", syscall(SYS_gettid));
    void* frames[kMostFrames];
    const int count = backtrace(frames, kMostFrames);
    if (write(STDERR_FILENO, line, static_cast<size_t>(length)) < 0) return;
    backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

}  // namespace

void tell_stacks_when_asked() {
    void* frame = nullptr;
    backtrace(&frame, 1);
    struct sigaction action{};
    action.sa_handler = tell;
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
}

}  // namespace xsched::probe
