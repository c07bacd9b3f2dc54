// xcli tells an ordinary user whose program runs beside other users' programs that they share the device, and which
// users can help. It tells no more about these programs.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "cli/explain/explain_rig.h"
#include "cli/known_by.h"

namespace xsched::test {
namespace {

class OtherUsers : public Explain {
protected:
    OtherUsers() {
        other["devices"][0]["device"] = "GPU:2";
        got(20);
        others(2, 75);
    }
    void others(int at_work, double percent) {
        slow["devices"][0]["others_at_work"] = at_work;
        slow["devices"][0]["others_got_percent"] = {percent, percent, percent};
    }
    void hold_behind_hidden() {
        Json by = cause("less_urgent", nullptr, 600, 50);
        by["program"] = "another user's program";
        hold(by);
    }
    void limit_priority(int64_t most) {
        slow["uid"] = 0;
        slow["group_gets"] = {{"highest_priority", most}, {"highest_priority_of", "user"}};
    }
};

TEST_F(OtherUsers, ShareTheDevice) {
    expect(WhySlow::kShares, true,
           "it shares its device with 2 programs of other users, which had 75 percent of it in the last 10 s",
           "to come first, raise its priority (xcli hint 1001 -p NUMBER)");
    others(1, 75);
    expect(WhySlow::kShares, true, "with 1 program of another user, which", "");
    slow["devices"][0]["others_got_percent"] = {nullptr, nullptr, nullptr};
    expect(WhySlow::kShares, true, "with 1 program of another user, as the hardware divides the device", "");
}

TEST_F(OtherUsers, WhoUseLittleOfTheDeviceAreNotTheReason) {
    others(1, 3);
    expect(WhySlow::kHost, true, "it gave the device work only 20 percent of the time", "host profiler");
    got(95);
    expect(WhySlow::kItsOwnWork, true, "the device worked for it 95 percent", "profiler");
    others(0, 0);
    got(60);
    expect(WhySlow::kAlone, true, "it is alone on its device", "profiler");
}

TEST_F(OtherUsers, CountBesideThoseWhoAreSeen) {
    other["devices"] = slow["devices"];
    other["priority"] = 0;
    expect(WhySlow::kShares, true, "beside pid 1002 (server, priority 0) of its priority and 2 programs of other users",
           "to come first");
}

TEST_F(OtherUsers, MayMakeRoom) {
    slow["cost"][2]["victims"].push_back({{"program", "another user's program"}, {"ms", 4800.0}, {"holds", 7}});
    expect(WhySlow::kShares, true, "another user's program made room for it, but what the device had begun ends first",
           "xcli explain 1001 --slow TIME");
}

TEST_F(OtherUsers, ALimitOnThePriorityStandsInTheWay) {
    hold_behind_hidden();
    limit_priority(5);
    slow["priority"] = 3;
    expect(WhySlow::kMoreUrgent, false, "behind another user's program",
           "raise its priority (xcli hint 1001 -p NUMBER; a limit leaves it 5 at most)");
    slow["priority"] = 5;
    const char* const remedy =
        "a limit leaves it priority 5 at most; root or the server's own user can raise that (xcli limit "
        "root:highest-priority=NUMBER)";
    expect(WhySlow::kMoreUrgent, false, "behind another user's program", remedy);
    EXPECT_FALSE(has(explained().advice, "xcli hint")) << explained().advice;
    third = program(3, "third", 4);  // a less urgent program of the user's own says nothing about the other user's
    expect(WhySlow::kMoreUrgent, false, "behind another user's program", remedy);
}

TEST_F(OtherUsers, NoPriorityHelpsInTheBackground) {
    hold_behind_hidden();
    slow["hints_in_force"] = {{"background", 1}};
    expect(WhySlow::kMoreUrgent, false, "", "--no-background");
}

// A server of all users. Root's programs are on the device of a program of uid 65534.
class BesideRoot : public WithCli {
protected:
    void SetUp() override {
        NEEDS_ROOT("to become another user");
        chmod(directory.path().c_str(), 0755);
        start({"--system"});
        pid_ = start_program(kNobody, "theirs", 5);
    }
    void TearDown() override {
        for (const pid_t pid : started_) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
        WithCli::TearDown();
    }
    // Starts a program of that user, which has work without end; `bursts`: of 20 ms, with pauses.
    pid_t start_program(uid_t user, const char* name, int priority, bool bursts = false) {
        const pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            TestClient client;
            if ((user == 0 || become(user)) && client.connect(socket(), name)) {
                client.add_queue(0, priority, 0xab1);
                client.submit(0);
            }
            while (bursts) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                client.complete(0);
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                client.submit(0);
            }
            for (;;) pause();
        }
        started_.push_back(pid);
        if (user == 0) roots_.push_back(pid);
        EXPECT_TRUE(eventually([&] { return client_count() == static_cast<int64_t>(started_.size()); }));
        return pid;
    }
    Outcome nobodys_xcli(const std::vector<std::string>& words) {
        std::vector<std::string> all{binary("xcli")};
        all.insert(all.end(), words.begin(), words.end());
        return run_to_end(nobody_runs(all), directory.environment());
    }
    // Demands that the output has `part` soon, and never what is not to be known of root's programs.
    void expect_told(const std::vector<std::string>& words, const std::string& part) {
        Outcome outcome;
        EXPECT_TRUE(eventually([&] {
            outcome = nobodys_xcli(words);
            return has(outcome.out, part);
        })) << outcome.out
            << outcome.err;
        EXPECT_FALSE(has(outcome.out, "secret")) << outcome.out;
        for (const pid_t other : roots_) EXPECT_FALSE(has(outcome.out, "pid " + std::to_string(other))) << outcome.out;
    }
    std::string pid() const { return std::to_string(pid_); }
    pid_t pid_ = -1;  // the program of uid 65534
    std::vector<pid_t> started_;
    std::vector<pid_t> roots_;  // those of root
};

TEST_F(BesideRoot, TheDeviceIsNotSaidToBeAUsersOwn) {
    start_program(0, "secret", 5);
    start_program(0, "secret", 5);
    expect_told({"explain", pid()}, "it shares its device with 2 programs of other users");
    expect_told({"top", "--once"}, "1 program, 2 of other users");
    expect_told({"top", "--json"}, "\"others_at_work\": 2");
    expect_told({"status"}, ": 2 programs of other users use it as well");
    expect_told({"explain", pid(), "--slow", "5ms", "-t", "100ms"},
                "shares its device with 2 programs of other users: a burst may take longer than alone");
    EXPECT_FALSE(has(xcli({"status"}).out, "other users")) << "root is told their names";
    EXPECT_FALSE(has(xcli({"explain"}).out, "other users"));
}

TEST_F(BesideRoot, TheRestOfABurstIsNotSaidToBeItsOwn) {
    const std::string urgent = std::to_string(start_program(kNobody, "bursts", 9, true));
    start_program(0, "secret", 9);
    expect_told(
        {"explain", urgent, "--slow", "5ms", "-t", "300ms"},
        "its own work, and commands of 1 other program and of 1 program of another user that the device had begun");
}

TEST_F(BesideRoot, ALimitIsNamedWithThoseWhoCanRaiseIt) {
    const std::string user = cli::user_name(kNobody);
    ASSERT_EQ(xcli({"limit", user + ":highest-priority=5"}).status, 0);
    start_program(0, "secret", 20);
    expect_told({"explain", pid()},
                "root or the server's own user can raise that (xcli limit " + user + ":highest-priority=NUMBER)");
    expect_told({"status", "--limits"}, "limit " + user +
                                            ":highest-priority=5; root, the server's own user or a member of the group "
                                            "xsched can take it back");
    EXPECT_FALSE(has(nobodys_xcli({"status", "--limits"}).out, "takes it back"));
}

}  // namespace
}  // namespace xsched::test
