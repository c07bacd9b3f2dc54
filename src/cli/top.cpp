// xcli top: status and list, drawn again and again on a terminal.
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "cli/fit.h"
#include "cli/show.h"

namespace xsched::cli {
namespace {

volatile sig_atomic_t g_stop = 0;

// While this lives the terminal shows a page of ours, and what was there before is back afterwards; keys come at once
// and unseen.
class Terminal {
public:
    Terminal() : keys_(isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before_) == 0) {
        if (keys_) {
            termios raw = before_;
            raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
            tcsetattr(STDIN_FILENO, TCSANOW, &raw);
        }
        print("\033[?1049h\033[?25l");  // another page, no cursor
    }
    ~Terminal() {
        print("\033[?25h\033[?1049l");
        if (keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    // True: the user wants to leave. Returns early when the window's size changes.
    bool wait(int timeout_ms) const {
        pollfd key{keys_ ? STDIN_FILENO : -1, POLLIN, 0};
        if (poll(&key, 1, timeout_ms) <= 0) return g_stop != 0;
        char letter = 'q';
        return read(STDIN_FILENO, &letter, 1) != 1 || letter == 'q' || letter == 'Q';
    }

    // From the top; what does not fit is left out, and how much that is stands in the last line.
    void draw(ServerLink& link) const {
        winsize size{};
        const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
        const size_t columns = known ? size.ws_col : 80;
        const size_t rows = known ? size.ws_row : 24;
        std::vector<std::string> lines;
        for (const std::string& line : lines_of(status_text(ask_all(link, {{"cmd", "status"}}, "processes"))))
            for (std::string& part : wrapped(line, columns)) lines.push_back(std::move(part));
        lines.emplace_back();
        for (const std::string& line : lines_of(queue_table(ask_all(link, {{"cmd", "list"}}, "queues"))))
            lines.push_back(cut(line, columns));
        const size_t shown = std::min(lines.size(), rows - 1);
        std::string text = "\033[H";
        for (size_t i = 0; i < shown; ++i) text += lines[i] + "\033[K\n";
        const size_t more = lines.size() - shown;
        const std::string last = more > 0 ? std::to_string(more) + " more lines; " : "";
        print(text + cut("(" + last + "q or Ctrl-C: leave)", columns) + "\033[J");
    }

private:
    termios before_{};
    bool keys_;
};

}  // namespace

int show_top(double interval_s, bool json) {
    if (json) return show_list(true);
    ServerLink link;
    if (isatty(STDOUT_FILENO) == 0) {
        print(status_text(ask_all(link, {{"cmd", "status"}}, "processes")) + "\n" +
              queue_table(ask_all(link, {{"cmd", "list"}}, "queues")));
        return 0;
    }
    struct sigaction action{};
    action.sa_handler = [](int) { g_stop = 1; };
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    action.sa_handler = [](int) {};
    sigaction(SIGWINCH, &action, nullptr);
    const Terminal terminal;
    do terminal.draw(link);
    while (!terminal.wait(static_cast<int>(interval_s * 1000)));
    return 0;
}

}  // namespace xsched::cli
