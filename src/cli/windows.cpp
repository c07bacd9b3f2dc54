#include "cli/windows.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/no_copies.h"
#include "base/unique_fd.h"
#include "cli/processes.h"
#include "cli/server_link.h"
#include "cli/show.h"
#include "cli/stop_signals.h"

namespace xsched::cli {
namespace {

constexpr size_t kLongestLine = 1 << 20;
constexpr int kLookAgainMs = 200;
constexpr int kNextTryMs = 1000;

// Reads a program's standard output line by line. The program ends with this object.
class LinesOf : base::NoCopies {
public:
    explicit LinesOf(std::vector<std::string> command) : name_(command[0]) {
        int ends[2] = {-1, -1};
        if (pipe2(ends, O_CLOEXEC) != 0) throw Failure(std::string("no pipe can be made: ") + strerror(errno));
        read_.reset(ends[0]);
        const base::UniqueFd write(ends[1]);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, write.get(), STDOUT_FILENO);
        std::vector<char*> words;
        for (std::string& word : command) words.push_back(word.data());
        words.push_back(nullptr);
        const int error = posix_spawnp(&child_, words[0], &actions, nullptr, words.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0) {
            child_ = -1;
            throw Failure(name_ + " cannot be run (" + strerror(error) + "): install it (Debian: x11-utils has xprop)");
        }
    }
    ~LinesOf() {
        if (child_ <= 0) return;
        kill(child_, SIGTERM);
        while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    // Reads the next line. Returns false if there is none, or xcli was told to stop.
    bool next(std::string& line) {
        for (;;) {
            if (const size_t end = text_.find('\n'); end != std::string::npos) {
                line = text_.substr(0, end);
                text_.erase(0, end + 1);
                return true;
            }
            // Look at the stop flag before each wait: a signal that came just before poll would not end it. So poll
            // waits for a short time only.
            if (told_to_stop()) return false;
            pollfd wait{.fd = read_.get(), .events = POLLIN, .revents = 0};
            if (poll(&wait, 1, kLookAgainMs) <= 0) continue;
            char bytes[4096];
            const ssize_t count = read(read_.get(), bytes, sizeof(bytes));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0 || text_.size() > kLongestLine) return false;
            text_.append(bytes, static_cast<size_t>(count));
        }
    }

private:
    std::string name_;
    pid_t child_ = -1;
    base::UniqueFd read_;
    std::string text_;
};

// Returns the number behind the last '#' or '='.
unsigned long first_number(const std::string& line) {
    const size_t at = line.find_last_of("#=");
    return at == std::string::npos ? 0 : strtoul(line.c_str() + at + 1, nullptr, 0);
}

// Returns the process that owns the window in a line like "_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1e00007"; 0: the
// window names none.
pid_t owner_in_x11(const std::string& line) {
    const unsigned long window = first_number(line);
    if (window == 0) return 0;
    std::string answer;
    LinesOf owner({"xprop", "-id", std::to_string(window), "_NET_WM_PID"});
    return owner.next(answer) ? static_cast<pid_t>(first_number(answer)) : 0;
}

// Returns the process that owns the newly active window in sway's event; -1: the event does not change the active
// window.
pid_t owner_in_sway(const std::string& line) {
    const Json event = Json::parse(line, nullptr, false);
    if (!event.is_object() || event.value("change", "") != "focus") return -1;
    return event.value("container", Json::object()).value("pid", 0);
}

class ActiveWindow : base::NoCopies {
public:
    explicit ActiveWindow(int display) : display_(display) {}
    ~ActiveWindow() {
        try {
            change(0);
        } catch (const std::exception&) {  // the server is gone, and with it what it was told
        }
    }

    // Marks the programs that belong to the owner as having the active window, and no others.
    void change(pid_t owner) {
        ServerLink link;
        std::set<pid_t> now;
        const Json status = owner > 0 ? ask_all(link, {{"cmd", "status"}}, "processes") : Json::object();
        if (owner > 0)
            for (const Json& process : status["processes"])
                // A browser's window belongs to another process than its use of the device.
                if (const pid_t pid = process.value("pid", 0); belongs_to(pid, owner)) now.insert(pid);
        for (const pid_t pid : has_)
            if (now.count(pid) == 0) tell(link, pid, 0);
        for (const pid_t pid : now) tell(link, pid, display_);
        has_ = now;
    }
    size_t programs() const { return has_.size(); }

private:
    static void tell(ServerLink& link, pid_t pid, int display) {
        try {
            link.ask({{"cmd", "hint"}, {"pid", pid}, {"window", display}});
        } catch (const Refusal&) {  // it has left
        }
    }

    int display_;
    std::set<pid_t> has_;
};

enum class Ended { kForGood, kUntilAManagerComes };

// Follows the window system until its events end, or xprop reports that no active window was ever named here.
Ended follow(bool sway, ActiveWindow& active, bool json) {
    LinesOf events(sway ? std::vector<std::string>{"swaymsg", "-t", "subscribe", "-m", "[\"window\"]"}
                        : std::vector<std::string>{"xprop", "-root", "-spy", "_NET_ACTIVE_WINDOW"});
    for (std::string line; events.next(line);) {
        if (!sway && line.find("no such atom") != std::string::npos) return Ended::kUntilAManagerComes;
        const pid_t owner = sway ? owner_in_sway(line) : owner_in_x11(line);
        if (owner < 0) continue;
        active.change(owner);
        if (json)
            print(Json{{"ok", true}, {"pid", owner}, {"programs", active.programs()}}.dump() + "\n");
        else
            print_text(owner == 0 ? "no window is active, or its program is not known\n"
                                  : "active window: pid " + std::to_string(owner) + ", " +
                                        std::to_string(active.programs()) + " of its programs are scheduled\n");
    }
    return Ended::kForGood;
}

void wait_for_next_try() {
    for (int waited_ms = 0; waited_ms < kNextTryMs && !told_to_stop(); waited_ms += kLookAgainMs)
        poll(nullptr, 0, kLookAgainMs);
}

bool is_set(const char* variable) {
    const char* value = getenv(variable);
    return value != nullptr && *value != '\0';
}

}  // namespace

int follow_windows(const WindowsWords& words, bool json) {
    const bool sway = is_set("SWAYSOCK");
    if (!sway && is_set("WAYLAND_DISPLAY"))
        throw Failure(
            "this Wayland compositor does not tell which window is active (sway does; GNOME and KDE do not): "
            "say it by hand with xcli hint --pid PID --window 1");
    if (!sway && !is_set("DISPLAY"))
        throw Failure("there is no display here (DISPLAY is not set): run it in the desktop's session");
    stop_on_signals();
    ActiveWindow active(words.display);
    // xprop does not follow a property that did not exist when it started, and the property appears with the window
    // manager. So xprop is started again from time to time until there is a window manager.
    for (bool said = json; follow(sway, active, json) == Ended::kUntilAManagerComes && !told_to_stop();
         wait_for_next_try())
        if (!std::exchange(said, true)) print_text("waiting for a window manager that tells which window is active\n");
    return 0;
}

}  // namespace xsched::cli
