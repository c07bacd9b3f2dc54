#include "cli/stop_signals.h"

#include <csignal>
#include <initializer_list>

namespace xsched::cli {
namespace {

volatile sig_atomic_t g_told_to_stop = 0;

}  // namespace

void stop_on_signals() {
    struct sigaction action{};
    action.sa_handler = [](int) { g_told_to_stop = 1; };
    for (const int number : {SIGTERM, SIGINT}) sigaction(number, &action, nullptr);  // without SA_RESTART
}

bool told_to_stop() { return g_told_to_stop != 0; }

}  // namespace xsched::cli
