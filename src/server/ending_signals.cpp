#include "server/ending_signals.h"

namespace xsched::server {

bool is_ending(int number) { return number == SIGTERM || number == SIGINT || number == SIGHUP; }

sigset_t ending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
    return signals;
}

bool asks_to_reload(int number, int code) { return number == SIGHUP && code != SI_KERNEL; }

void block_ending_signals() {
    const sigset_t signals = ending_signals();
    sigprocmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace xsched::server
