// Where log lines go, and that no thread waits for their reader.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "base/log.h"
#include "base/unique_fd.h"
#include "support/directory.h"
#include "support/environment.h"
#include "support/pattern.h"
#include "support/text.h"
#include "support/users.h"

namespace {

using namespace xsched::base;
using namespace xsched::test;

constexpr int kPatienceSeconds = 60;  // a line that waits ends the test by SIGALRM
constexpr int kManyLines = 400;       // of 800 bytes: more than a pipe holds

struct Ends {
    Ends() {
        int fds[2] = {-1, -1};
        EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
        reader.reset(fds[0]);
        writer.reset(fds[1]);
    }
    UniqueFd reader;
    UniqueFd writer;
};

std::string all_of(int fd) {
    std::string text;
    char bytes[4096];
    pollfd asked{fd, POLLIN, 0};
    while (poll(&asked, 1, 0) == 1 && (asked.revents & POLLIN) != 0) {
        const ssize_t done = read(fd, bytes, sizeof bytes);
        if (done <= 0) break;
        text.append(bytes, static_cast<size_t>(done));
    }
    return text;
}

void say_many() {
    for (int i = 0; i < kManyLines; ++i) XLOG_INFO("line %s", std::string(750, 'x').c_str());
}

// Returns how many lines are lost according to the log.
int lost(const std::string& text) {
    const Pattern::Found found = Pattern(R"(\[WARN .*\] (\d+) log lines were lost)").first_in(text);
    return found.empty() ? 0 : std::stoi(found[1]);
}

class LogOutput : public testing::Test {
protected:
    void SetUp() override {
        set_log_level(LogLevel::kDebug);
        alarm(kPatienceSeconds);
    }
    void TearDown() override {
        alarm(0);
        set_log_level(LogLevel::kInfo);
    }
    std::string path() const { return folder_ / "file"; }

    // Calls `say` with `fd` as standard error.
    template <typename Say>
    static void with_standard_error(int fd, Say say) {
        fflush(stderr);
        const UniqueFd before(dup(STDERR_FILENO));
        dup2(fd, STDERR_FILENO);
        say();
        dup2(before.get(), STDERR_FILENO);
    }
    // Returns what `say` writes in a child process: the line about XLOG_FILE comes only once in each process.
    template <typename Say>
    static std::string said(Say say) {
        testing::internal::CaptureStderr();
        EXPECT_EQ(in_child([&] { return say(), 0; }), 0);
        return testing::internal::GetCapturedStderr();
    }

private:
    WithEnvironment unset_{{{"XLOG_FILE", ""}}};
    TemporaryDirectory folder_;
};

// Demands that no line is lost in silence: the lines that came through and the number of lost ones add up to all.
void expect_all_accounted(const std::string& before, const std::string& after) {
    EXPECT_LT(occurrences(before, "] line "), kManyLines);
    EXPECT_GT(occurrences(before, "] line "), 10);
    EXPECT_EQ(before.back(), '\n') << "no line is torn";
    EXPECT_EQ(occurrences(before, "] line ") + lost(after), kManyLines) << after;
    EXPECT_NE(after.find("] room again\n"), std::string::npos) << after;
    EXPECT_LT(after.find("were lost"), after.find("room again"));
}

TEST_F(LogOutput, AFifoWithoutAReaderCostsOneLine) {
    ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
    setenv("XLOG_FILE", path().c_str(), 1);
    const std::string text = said(say_many);
    EXPECT_EQ(occurrences(text, "\n"), 1) << text;
    EXPECT_NE(text.find("cannot be written (no process reads it)"), std::string::npos) << text;
}

TEST_F(LogOutput, AFifoThatNobodyReadsLosesLinesAndSaysHowMany) {
    ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
    const UniqueFd reader(open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    setenv("XLOG_FILE", path().c_str(), 1);
    say_many();
    const std::string before = all_of(reader.get());
    XLOG_INFO("room again");
    expect_all_accounted(before, all_of(reader.get()));
    XLOG_INFO("and once only");
    EXPECT_EQ(lost(all_of(reader.get())), 0);
}

TEST_F(LogOutput, AFullPipeAsStandardErrorDoesNotWait) {
    Ends ends;
    with_standard_error(ends.writer.get(), say_many);
    const std::string before = all_of(ends.reader.get());
    with_standard_error(ends.writer.get(), [] { XLOG_INFO("room again"); });
    expect_all_accounted(before, all_of(ends.reader.get()));
    EXPECT_EQ(fcntl(ends.writer.get(), F_GETFL) & O_NONBLOCK, 0) << "the program's own descriptor stays as it is";
}

TEST_F(LogOutput, AlsoWhereItCannotBeOpenedAnew) {
    NEEDS_ROOT("to have a pipe of another user's");
    Ends ends;
    const int status = as_nobody([&] {
        with_standard_error(ends.writer.get(), [] {
            if (open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK) >= 0) _exit(3);
            say_many();
        });
        return 0;
    });
    EXPECT_EQ(status, 0);
    EXPECT_GT(occurrences(all_of(ends.reader.get()), "] line "), 10);
}

TEST_F(LogOutput, AFullSocketAsStandardErrorDoesNotWait) {
    int fds[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    const UniqueFd reader(fds[0]);
    const UniqueFd writer(fds[1]);
    const int bytes = 16384;
    ASSERT_EQ(setsockopt(writer.get(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes), 0);
    with_standard_error(writer.get(), say_many);
    const std::string before = all_of(reader.get());
    with_standard_error(writer.get(), [] { XLOG_INFO("room again"); });
    expect_all_accounted(before, all_of(reader.get()));
}

// systemd.exec(5) and sd-daemon(3): a level in front of each line, if standard error is the journal.
TEST_F(LogOutput, TheJournalLearnsTheLevelOfEachLine) {
    int fds[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    const UniqueFd reader(fds[0]);
    const UniqueFd writer(fds[1]);
    struct stat info{};
    ASSERT_EQ(fstat(writer.get(), &info), 0);
    const auto say = [] {
        XLOG_WARN("first");
        XLOG_INFO("second");
    };
    {
        const WithEnvironment journal(
            Environment{{"JOURNAL_STREAM", std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino)}});
        with_standard_error(writer.get(), say);
    }
    const std::string text = all_of(reader.get());
    EXPECT_EQ(text.rfind("<4>[WARN ", 0), 0U) << text;
    EXPECT_NE(text.find("\n<6>[INFO "), std::string::npos) << text;
    const WithEnvironment elsewhere(Environment{{"JOURNAL_STREAM", "1:1"}});
    with_standard_error(writer.get(), say);
    EXPECT_EQ(all_of(reader.get()).rfind("[WARN ", 0), 0U);
}

TEST_F(LogOutput, AReaderThatIsGoneEndsNobody) {
    Ends ends;
    int fds[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    const UniqueFd writer(fds[1]);
    close(fds[0]);
    ends.reader.reset();
    const int status = in_child([&] {
        signal(SIGPIPE, SIG_DFL);
        with_standard_error(ends.writer.get(), [] { XLOG_INFO("to nobody"); });
        with_standard_error(writer.get(), [] { XLOG_INFO("to nobody"); });
        return 7;
    });
    EXPECT_EQ(status, 7);
}

TEST_F(LogOutput, AFileThatMayNotGrowEndsNobody) {
    setenv("XLOG_FILE", path().c_str(), 1);
    const int status = in_child([] {
        signal(SIGXFSZ, SIG_DFL);
        const rlimit limit{1000, 1000};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
        const UniqueFd nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
        with_standard_error(nowhere.get(), [] {
            for (int i = 0; i < 30; ++i) XLOG_INFO("one line more");
        });
        sigset_t pending;
        sigpending(&pending);
        return sigismember(&pending, SIGXFSZ) == 0 ? 0 : 2;
    });
    EXPECT_EQ(status, 0);
}

TEST_F(LogOutput, NothingIsWrittenToTheReadingEndOfAPipe) {
    Ends ends;  // the program has closed its standard error, and a pipe of its own got the number
    with_standard_error(ends.reader.get(), [] { XLOG_INFO("not here"); });
    EXPECT_EQ(all_of(ends.reader.get()), "");
}

TEST_F(LogOutput, OnlyFilesFifosAndTerminalsAreWritten) {
    ASSERT_EQ(mknod(path().c_str(), S_IFSOCK | 0600, 0), 0);
    setenv("XLOG_FILE", path().c_str(), 1);
    EXPECT_NE(said([] { XLOG_INFO("not here"); }).find("cannot be written"), std::string::npos);
    struct stat disk{};
    if (stat("/dev/loop0", &disk) == 0 && S_ISBLK(disk.st_mode) && access("/dev/loop0", W_OK) == 0) {
        setenv("XLOG_FILE", "/dev/loop0", 1);
        EXPECT_NE(said([] { XLOG_INFO("not here"); }).find("it is neither a file"), std::string::npos);
    }
}

}  // namespace
