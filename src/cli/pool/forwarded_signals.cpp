#include "cli/pool/forwarded_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>

#include "base/clock.h"

namespace xsched::cli {
namespace {

// Judgement: a program that still runs then has taken the signal for something else, as Python's prompt does Ctrl-C.
constexpr int64_t kToldNs = 10 * base::kSecond;
constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};

struct Came {
    int signal;
    bool by_kernel;  // from a terminal, which sends it to the program too; or a child's end
};

volatile sig_atomic_t g_put = -1;  // where the handler writes what came
struct sigaction g_before[std::size(kSignals)];

void handle(int signal, siginfo_t* info, void* /*context*/) {
    const int error = errno;
    const Came came{signal, info->si_code > 0};
    if (write(static_cast<int>(g_put), &came, sizeof came) < 0) errno = 0;  // full: many have come already
    errno = error;
}

}  // namespace

ForwardedSignals::ForwardedSignals() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    comes_.reset(ends[0]);
    put_.reset(ends[1]);
    g_put = ends[1];
    struct sigaction action{};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < std::size(kSignals); ++i) {
        sigaction(kSignals[i], nullptr, &g_before[i]);
        // The end of a child must be seen even where it was ignored before.
        if (g_before[i].sa_handler != SIG_IGN || kSignals[i] == SIGCHLD) sigaction(kSignals[i], &action, nullptr);
    }
}

void ForwardedSignals::give_back() {
    if (!put_) return;
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &g_before[i], nullptr);
    g_put = -1;
    put_.reset();
    comes_.reset();
}

bool ForwardedSignals::told_to_end() const { return told_ns_ != 0 && base::now_ns() - told_ns_ < kToldNs; }

std::vector<int> ForwardedSignals::wait(int ms) {
    std::vector<int> forwarded;
    pollfd waiting{comes_.get(), POLLIN, 0};
    poll(&waiting, 1, ms);
    for (Came came{}; read(comes_.get(), &came, sizeof came) == sizeof came;) {
        if (came.signal == SIGCHLD) continue;
        if (came.signal != SIGUSR1 && came.signal != SIGUSR2) told_ns_ = base::now_ns();
        if (!came.by_kernel) forwarded.push_back(came.signal);
    }
    return forwarded;
}

}  // namespace xsched::cli
