// Where the process crashed, with KFD_EMULATOR_LOG: the root folders have no debugger.
#include <execinfo.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include "emulator.h"

namespace {

void tell(int number, siginfo_t* info, void*) {
    void* frames[60];
    kfd::say(1, "signal %d at %p", number, info->si_addr);
    backtrace_symbols_fd(frames, backtrace(frames, 60), 2);
    _exit(128 + number);
}

[[gnu::constructor]] void watch() {
    if (std::getenv("KFD_EMULATOR_LOG") == nullptr) return;
    struct sigaction action{};
    action.sa_sigaction = tell;
    action.sa_flags = SA_SIGINFO;
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) sigaction(number, &action, nullptr);
}

}  // namespace
