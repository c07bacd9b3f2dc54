// xcli top on a terminal: each picture fits the window, keys and signals end it, and the terminal is as it was.
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <cctype>
#include <csignal>

#include "cli/cli_rig.h"

namespace xsched::test {
namespace {

// xcli top with a terminal of its own; everything it writes.
class OnTerminal {
public:
    OnTerminal(const Environment& environment, unsigned short columns, unsigned short rows) {
        winsize size{};
        size.ws_col = columns;
        size.ws_row = rows;
        const std::string program = binary("xcli");
        pid_ = forkpty(&terminal_, nullptr, nullptr, &size);
        if (pid_ == 0) {
            for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
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

    // Reads on until a picture that begins after this call is complete: what its lines show, without control sequences.
    std::vector<std::string> next_picture() {
        const size_t from = text_.size();
        size_t begin = 0;
        size_t end = std::string::npos;
        const bool came = eventually([&] {
            read_some();
            begin = text_.find("\033[H", from);
            end = begin == std::string::npos ? begin : text_.find("\033[J", begin);
            return end != std::string::npos;
        });
        EXPECT_TRUE(came) << text_;
        return came ? shown(text_.substr(begin, end - begin)) : std::vector<std::string>{};
    }
    void press(char key) { EXPECT_EQ(write(terminal_, &key, 1), 1); }
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

    // Its exit status; -1: it does not end.
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
    static std::vector<std::string> shown(const std::string& picture) {
        std::vector<std::string> lines(1);
        for (size_t i = 0; i < picture.size(); ++i) {
            if (picture[i] == '\033') {
                while (i < picture.size() && isalpha(static_cast<unsigned char>(picture[i])) == 0) ++i;
            } else if (picture[i] == '\n') {
                lines.emplace_back();
            } else if (picture[i] != '\r') {
                lines.back() += picture[i];
            }
        }
        return lines;
    }

    pid_t pid_ = -1;
    int terminal_ = -1;
    std::string text_;
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
    static void expect_fits(const std::vector<std::string>& picture, size_t columns, size_t rows) {
        EXPECT_LE(picture.size(), rows);
        for (const std::string& line : picture) EXPECT_LE(line.size(), columns) << line;
    }
    static std::string joined(const std::vector<std::string>& picture) {
        std::string all;
        for (const std::string& line : picture) all += line + "\n";
        return all;
    }
    TestClient client, urgent;
};

TEST_F(Top, FitsASmallWindow) {
    OnTerminal top(directory.environment(), 80, 24);
    const std::vector<std::string> picture = top.next_picture();
    expect_fits(picture, 80, 24);
    const std::string all = joined(picture);
    EXPECT_TRUE(has(picture.front(), "policy HPF")) << all;
    EXPECT_TRUE(has(all, "delayed others by")) << all;
    EXPECT_TRUE(has(all, "makes room for")) << all;
    EXPECT_TRUE(has(all, "PROGRAM")) << "the table begins: " << all;
    EXPECT_TRUE(has(picture.back(), " more lines; q or Ctrl-C: leave)")) << all;
    top.press('q');
    EXPECT_EQ(top.wait(), 0);
}

TEST_F(Top, FollowsTheWindow) {
    OnTerminal top(directory.environment(), 30, 5);
    expect_fits(top.next_picture(), 30, 5);
    top.resize(200, 60);
    std::vector<std::string> picture;
    EXPECT_TRUE(eventually([&] { return (picture = top.next_picture()).size() > 30; }));
    expect_fits(picture, 200, 60);
    EXPECT_EQ(picture.back(), "(q or Ctrl-C: leave)") << "all of it";
    EXPECT_TRUE(has(joined(picture), "0xab1d"));
}

TEST_F(Top, LeavesTheTerminalAsItWas) {
    for (const char key : {'q', '\003'}) {
        OnTerminal top(directory.environment(), 80, 24);
        top.next_picture();
        EXPECT_FALSE(top.echoes_keys());
        top.press(key);
        EXPECT_EQ(top.wait(), 0);
        EXPECT_TRUE(top.echoes_keys());
        EXPECT_EQ(top.text().find("\033[?1049h"), 0u) << "a page of its own";
        EXPECT_TRUE(has(top.text(), "\033[?25h\033[?1049l")) << "and the cursor and the old page back";
    }
}

TEST_F(Top, SaysThatTheServerIsGoneOnTheOldPage) {
    OnTerminal top(directory.environment(), 80, 24);
    top.next_picture();
    kill(server->pid(), SIGKILL);
    EXPECT_EQ(top.wait(), 2);
    const size_t back = top.text().find("\033[?1049l");
    ASSERT_NE(back, std::string::npos);
    EXPECT_TRUE(has(top.text().substr(back), "xcli")) << top.text().substr(back);
}

}  // namespace
}  // namespace xsched::test
