// Tells where the process crashed, if KFD_EMULATOR_LOG is set, be it to 0: the root folders have no debugger.
#include <execinfo.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>

#include "emulator.h"

namespace {

// Returns the caller's address if the crash was a call of a null pointer: it is then on top of the stack, where no
// unwinder finds it.
void* caller_of_nothing(const void* context) {
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    return registers[REG_RIP] == 0 ? *reinterpret_cast<void**>(registers[REG_RSP]) : nullptr;
}

void tell(int number, siginfo_t* info, void* context) {
    void* frames[60];
    kfd::say(0, "signal %d at %p", number, info->si_addr);
    frames[0] = caller_of_nothing(context);
    if (frames[0] != nullptr) backtrace_symbols_fd(frames, 1, 2);
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
