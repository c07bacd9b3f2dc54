// xcli top on a terminal: it draws, keys work, keys and signals end it, and the terminal is as it was. The picture:
// top_view_test.cpp.
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <csignal>
#include <set>

#include "cli/cli_rig.h"
#include "cli/top/columns.h"
#include "cli/top/session.h"

namespace xsched::test {
namespace {

// Runs xcli top on a pseudo-terminal of its own and collects everything that it writes.
class OnTerminal {
public:
    OnTerminal(const Environment& environment, unsigned short columns, unsigned short rows,
               const char* kind = "xterm") {
        winsize size{};
        size.ws_col = columns;
        size.ws_row = rows;
        const std::string program = binary("xcli");
        pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
        if (pid_ == 0) {
            for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
            setenv("TERM", kind, 1);
            execl(program.c_str(), program.c_str(), "top", "--interval", "0.05", nullptr);
            _exit(99);
        }
    }
    ~OnTerminal() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        close(terminal_);
    }
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;

    // Returns whether the output since the last call has `part` in it. Waits for that.
    bool shows(const std::string& part) {
        const size_t from = seen_;
        const bool came = eventually([&] {
            read_some();
            return text_.find(part, from) != std::string::npos;
        });
        EXPECT_TRUE(came) << part << " is not in: " << text_.substr(from);
        if (came) seen_ = text_.find(part, from);
        return came;
    }
    void press(char key) { EXPECT_EQ(write(terminal_, &key, 1), 1); }
    void press(const std::string& keys) {
        for (const char key : keys) press(key);
    }
    void resize(unsigned short columns, unsigned short rows) {
        winsize size{};
        size.ws_col = columns;
        size.ws_row = rows;
        EXPECT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
    }
    bool echoes_keys() const {
        termios now{};
        return tcgetattr(terminal_, &now) == 0 && (now.c_lflag & ECHO) != 0 && (now.c_lflag & ICANON) != 0;
    }
    const std::string& text() const { return text_; }

    // Returns the exit status of xcli top; -1: it does not end.
    int wait() {
        int status = 0;
        const bool ended = eventually([&] {
            read_some();
            return waitpid(pid_, &status, WNOHANG) == pid_;
        });
        if (!ended) return -1;
        pid_ = 0;
        read_some();
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

private:
    void read_some() {
        pollfd ready{terminal_, POLLIN, 0};
        char part[4096];
        while (poll(&ready, 1, 1) > 0 && (ready.revents & POLLIN) != 0) {
            const ssize_t bytes = read(terminal_, part, sizeof part);
            if (bytes <= 0) return;
            text_.append(part, static_cast<size_t>(bytes));
        }
    }
    pid_t pid_ = -1;
    int terminal_ = -1;
    std::string text_;
    size_t seen_ = 0;
};

class Top : public WithCli {
protected:
    void SetUp() override {
        start();
        ASSERT_TRUE(client.connect(socket(), "trainer"));
        ASSERT_TRUE(urgent.connect(socket(), "urgent"));
        for (uint32_t i = 0; i < 30; ++i) client.add_queue(i, 0, 0xab00 + i);
        urgent.add_queue(0, 10, 0xcd00);
        client.submit(0);
        urgent.submit(0);
        ASSERT_TRUE(client.becomes_suspended(0, true));
    }
    TestClient client, urgent;
};

TEST_F(Top, DrawsAndTakesKeys) {
    OnTerminal top(directory.environment(), 80, 24);
    EXPECT_TRUE(top.shows("policy HPF"));
    EXPECT_TRUE(top.shows("trainer"));
    EXPECT_TRUE(top.shows("q quit"));
    top.press('?');
    EXPECT_TRUE(top.shows("this help"));
    top.press('q');
    EXPECT_EQ(top.wait(), 0);
}

TEST_F(Top, RefusesATerminalWhoseCursorCannotBeMoved) {
    OnTerminal top(directory.environment(), 80, 24, "dumb");
    EXPECT_TRUE(top.shows("the terminal (TERM=dumb) cannot be drawn on: use xcli top --once"));
}

TEST_F(Top, ChangesWhatItIsTold) {
    OnTerminal top(directory.environment(), 80, 24);
    EXPECT_TRUE(top.shows("q quit"));
    top.press("/trainer\rj");
    EXPECT_TRUE(top.shows("only \"trainer\""));
    // The two programs in the list are one process here, so both get the priority.
    top.press("p3\r");
    EXPECT_TRUE(top.shows("(y/n)"));
    top.press('y');
    EXPECT_TRUE(eventually([&] { return client.slot(0).priority.load() == 3; }));
    top.press('q');
    EXPECT_EQ(top.wait(), 0);
}

TEST_F(Top, FollowsTheWindow) {
    OnTerminal top(directory.environment(), 30, 5);
    EXPECT_TRUE(top.shows("policy"));
    top.resize(200, 60);
    EXPECT_TRUE(top.shows("HISTORY"));
    top.resize(3, 2);
    top.press('j');
    top.resize(80, 24);
    EXPECT_TRUE(top.shows("q quit"));
    top.press('q');
    EXPECT_EQ(top.wait(), 0);
}

TEST_F(Top, ColoursOnlyWhereTheyAreWanted) {
    Environment environment = directory.environment();
    for (const char* none : {"", "1"}) {
        environment["NO_COLOR"] = none;
        OnTerminal top(environment, 80, 24);
        EXPECT_TRUE(top.shows("q quit"));
        top.press('q');
        EXPECT_EQ(top.wait(), 0);
        const bool coloured = has(top.text(), "\033[31m") || has(top.text(), "\033[32m") || has(top.text(), "\033[35m");
        EXPECT_EQ(coloured, *none == '\0') << top.text();
    }
}

TEST_F(Top, LeavesTheTerminalAsItWas) {
    for (const char key : {'q', '\003'}) {
        OnTerminal top(directory.environment(), 80, 24);
        EXPECT_TRUE(top.shows("q quit"));
        EXPECT_FALSE(top.echoes_keys());
        top.press(key);
        EXPECT_EQ(top.wait(), 0);
        EXPECT_TRUE(top.echoes_keys());
        EXPECT_TRUE(has(top.text(), "\033[?1049h")) << "a page of its own";
        EXPECT_TRUE(has(top.text(), "\033[?1049l")) << "and the old page back";
    }
}

TEST_F(Top, SaysThatTheServerIsAwayAndWaitsForIt) {
    OnTerminal top(directory.environment(), 80, 24);
    EXPECT_TRUE(top.shows("q quit"));
    kill(server->pid(), SIGKILL);
    EXPECT_TRUE(top.shows("away: "));
    top.press('q');
    EXPECT_EQ(top.wait(), 0);
}

TEST_F(Top, SaysWhereItCannotDraw) {
    const Outcome outcome = xcli({"top", "--once", "--sort", "colour"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(has(outcome.err, "use one of pid, program, priority")) << outcome.err;
}

TEST(TopColumns, TheKeyForSortingOffersWhatTheWindowShowsByItsName) {
    const auto offered = [](size_t columns) {
        cli::TopSession session(
            [](const Json&, const char*) { return Json{{"policy", "HPF"}, {"programs", Json::array()}}; },
            cli::TopView{}, {});
        session.look();
        std::set<std::string> names;
        for (size_t i = 0; i < cli::top_sort_words().size(); ++i) {
            const auto lines = session.picture(columns, 24, false);
            const std::string by = lines[0].text.substr(lines[0].text.rfind(" by ") + 4);
            EXPECT_TRUE(has(lines[1].text, by)) << lines[0].text << "\n" << lines[1].text;
            names.insert(by);
            session.press('s');
        }
        return names;
    };
    const std::set<std::string> narrow{"PID", "PROGRAM", "PRIO", "GOT %", "HELD%", "P99"};
    EXPECT_EQ(offered(80), narrow);
    EXPECT_EQ(offered(100).size(), narrow.size() + 1);
}

}  // namespace
}  // namespace xsched::test
