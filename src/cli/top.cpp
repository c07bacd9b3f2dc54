// xcli top: status and list, drawn again and again on a terminal.
#include <csignal>
#include <cstdio>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "cli/show.h"

namespace xsched::cli {
namespace {

volatile sig_atomic_t g_stop = 0;

// Keys come at once and unseen while this lives.
class RawTerminal {
public:
    RawTerminal() : active_(isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before_) == 0) {
        if (!active_) return;
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    ~RawTerminal() {
        if (active_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

    // True: the user wants to leave.
    bool wait(int timeout_ms) const {
        pollfd key{active_ ? STDIN_FILENO : -1, POLLIN, 0};
        if (poll(&key, 1, timeout_ms) <= 0) return g_stop != 0;
        char letter = 'q';
        return read(STDIN_FILENO, &letter, 1) != 1 || letter == 'q' || letter == 'Q';
    }

private:
    termios before_{};
    bool active_;
};

std::string frame(ServerLink& link) {
    const std::string status = status_text(link.ask({{"cmd", "status"}}));
    return status + "\n" + queue_table(link.ask({{"cmd", "list"}}));
}

}  // namespace

int show_top(double interval_s, bool json) {
    if (json) return show_list(true);
    ServerLink link;
    if (isatty(STDOUT_FILENO) == 0) {
        print(frame(link));
        return 0;
    }
    struct sigaction stop {};
    stop.sa_handler = [](int) { g_stop = 1; };
    sigaction(SIGINT, &stop, nullptr);
    sigaction(SIGTERM, &stop, nullptr);
    const RawTerminal terminal;
    do {
        // Home, the frame with each line's rest erased, then everything below it.
        std::string text = "\033[H";
        for (const char letter : frame(link)) text += letter == '\n' ? "\033[K\n" : std::string(1, letter);
        print(text + "\033[J(q or Ctrl-C: leave)\033[K");
    } while (!terminal.wait(static_cast<int>(interval_s * 1000)));
    print("\n");
    return 0;
}

}  // namespace xsched::cli
