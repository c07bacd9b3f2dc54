// xcli explain with a real server: its sentences, and slow bursts as they happen.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "cli/cli_rig.h"
#include "support/repeating.h"
#include "support/trainer_and_urgent.h"

namespace xsched::test {
namespace {

using ExplainCommand = TrainerAndUrgent<WithCli>;

TEST_F(ExplainCommand, NamesWhoHeldIt) {
    for (int i = 0; i < 3; ++i) burst(20);
    const Outcome outcome = xcli({"explain", "trainer"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "(trainer): held ")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "(urgent, priority 10), longest 2")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "what to do: raise its priority")) << outcome.out;
    const Outcome other = xcli({"explain", "urgent"});
    EXPECT_TRUE(has(other.out, "costs others: pid " + std::to_string(getpid()) + " (trainer) ")) << other.out;
    EXPECT_TRUE(has(other.out, "not us")) << other.out;
    EXPECT_EQ(xcli({"explain", std::to_string(getpid()), "--json"}).json()["programs"].size(), 2U);
}

TEST_F(ExplainCommand, SaysThatAPersonSuspendedIt) {
    urgent.hang_up();
    ASSERT_TRUE(eventually([&] { return client_count() == 1; }));
    ASSERT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    Json told;
    ASSERT_TRUE(eventually([&] {
        told = xcli({"explain", "trainer", "--json"}).json()["programs"][0];
        return told.value("finding", "") == "suspended";
    })) << told;
    EXPECT_TRUE(has(told["advice"], "xcli resume")) << told;
}

TEST_F(ExplainCommand, SaysThatAPersonSuspendedAProgramWithoutWork) {
    burst(20);
    urgent.submit(0);
    victim.complete(0);
    ASSERT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    Json told;
    EXPECT_TRUE(eventually([&] {
        told = xcli({"explain", "trainer", "--json"}).json()["programs"][0];
        return told["headline"] == "a person suspended it (xcli suspend), and it has no work now";
    })) << told;
    EXPECT_EQ(told["finding"], "suspended");
    EXPECT_EQ(told["not_us"], false);
}

// A profiler shows nothing of a program whose pool has failed.
TEST_F(ExplainCommand, SaysWhatHelpsInAPoolThatHasFailed) {
    const std::string pool = directory.path() + "/pool";
    std::filesystem::create_directory(pool);
    const Json neighbour{
        {"pid", getpid()}, {"program", "trainer"}, {"outcome", "is ended if it goes on for another 10s"}};
    const Json failed{{"pid", 1}, {"program", "faulty"}, {"outcome", "ended with status 1"}};
    std::ofstream(pool + "/fault.json") << Json{
        {"kind", "fault"}, {"at_ms", 1}, {"server", 2}, {"failed", {failed}}, {"neighbours", {neighbour}}};
    const Json told = xcli({"explain", "trainer", "--json"}).json()["programs"][0];
    EXPECT_TRUE(has(told["details"][0], "because of the pool that it was in")) << told;
    EXPECT_TRUE(has(told["advice"], "--max-restarts")) << told;
    EXPECT_FALSE(has(told["advice"], "profiler")) << told;
}

TEST_F(ExplainCommand, RefusesWhatIsNotThere) {
    expect_sentence({"explain", "nobody"}, "no program \"nobody\" is scheduled", 4);
    expect_sentence({"explain", "trianer"}, "(did you mean \"trainer\"?)", 4);
    expect_sentence({"explain", "trainer", "--slow", "soon"}, "is no time for --slow");
    expect_sentence({"explain", "trainer", "-t", "1s"}, "--slow");
}

TEST_F(ExplainCommand, SaysWhyItDoesNotKnowAProcess) {
    const Process bare({"/bin/sleep", "60"}, directory.environment());
    expect_sentence({"explain", std::to_string(bare.pid())}, "runs without XSched: start it with 'xcli run", 4);
    expect_sentence({"explain", "99999999"}, "no process has the number 99999999", 4);
    const Process started({binary("xcli"), "run", "--", "/bin/sleep", "60"}, directory.environment());
    const std::string pid = std::to_string(started.pid());
    EXPECT_TRUE(eventually([&] { return has(xcli({"explain", pid}).err, "has used no device so far"); }))
        << xcli({"explain", pid}).err;
    EXPECT_TRUE(eventually([&] { return has(xcli({"explain", "sleep"}).err, "was started by 'xcli run'"); }))
        << "its name, once it is no xcli any more";
    const std::string script = directory.path() + "/waits.py";
    std::ofstream(script) << "import time\ntime.sleep(60)\n";
    const Process python({binary("xcli"), "run", "--", "/usr/bin/python3", script}, directory.environment());
    EXPECT_TRUE(eventually([&] { return has(xcli({"explain", "waits.py"}).err, "python3 waits.py) was started"); }))
        << xcli({"explain", "waits.py"}).err;
    const Process ended({"/bin/true"}, directory.environment());  // not waited for
    EXPECT_TRUE(eventually([&] { return has(xcli({"explain", std::to_string(ended.pid())}).err, "its parent"); }));
    EXPECT_EQ(xcli({"hint", std::to_string(ended.pid()), "-p", "3"}).status, 4);
}

TEST_F(ExplainCommand, NamesTheProgramsThatAProcessStarted) {
    const pid_t parent = fork();
    if (parent == 0) {
        const bool is_child = fork() == 0;
        if (is_child) prctl(PR_SET_PDEATHSIG, SIGKILL);
        TestClient client;
        if (is_child && client.connect(socket(), "worker")) client.add_queue(0, 0, 0xab7);
        for (;;) pause();
    }
    const std::string of = std::to_string(parent);
    Json worker;
    EXPECT_TRUE(eventually([&] {
        const Json told = xcli({"explain", "worker", "--json"}).json();
        if (told.is_object() && told.contains("programs")) worker = told["programs"][0]["pid"];
        return !worker.is_null();
    }));
    expect_sentence({"explain", of},
                    ") is not scheduled itself; its child pid " + worker.dump() +
                        " (worker) is scheduled: xcli explain " + worker.dump(),
                    4);
    const Outcome suspended = xcli({"suspend", of});
    EXPECT_EQ(suspended.status, 0) << suspended.err;
    EXPECT_TRUE(has(suspended.err, "this is for pid " + worker.dump())) << suspended.err;
    EXPECT_TRUE(eventually([&] { return has(xcli({"status"}).out, " (worker) suspended"); })) << xcli({"status"}).out;
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    const Process shell({"/bin/sh", "-c", binary("xcli") + " run -- /bin/sleep 60; exit 0"}, directory.environment());
    EXPECT_TRUE(eventually([&] {
        const std::string told = xcli({"explain", std::to_string(shell.pid())}).err;
        return has(told, "is not scheduled itself; its child pid ") && has(told, "(sleep) was started by 'xcli run'");
    })) << xcli({"explain", std::to_string(shell.pid())}).err;
}

TEST_F(ExplainCommand, FollowsSlowBursts) {
    std::optional<Repeating> programs(std::in_place, [&] {
        urgent.submit(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        urgent.complete(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        victim.complete(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        victim.submit(0);
    });
    const Outcome outcome = xcli({"explain", "trainer", "--slow", "5ms", "-t", "500ms"});
    const Outcome first = xcli({"explain", "urgent", "--slow", "5ms", "-t", "500ms"});
    programs.reset();
    EXPECT_TRUE(has(first.out, " and commands of 1 other program that the device had begun")) << first.out;
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "(trainer, priority 0): a burst of ")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, " held behind pid ")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "(urgent, priority 10)")) << outcome.out;
    EXPECT_FALSE(has(outcome.out, "(urgent, priority 10): a burst")) << outcome.out;
}

}  // namespace
}  // namespace xsched::test
