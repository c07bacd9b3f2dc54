// Staged cases: xcli explain names each cause. Causes whose advice is a command are staged in typed_advice_test.cpp.
#include "cli/staged_rig.h"

namespace xsched::test {
namespace {

TEST_F(StagedCause, MoreUrgent) {
    two(10);
    slow.submit(0);
    const Work work(other, 0, 100, 20);
    expect_cause("more_urgent", "(rival, priority 10)");
}

TEST_F(StagedCause, StarvedBesideAProgramThatNeverRests) {
    two(10);
    slow.submit(0);
    const Work work(other);
    expect_cause("starved");
}

TEST_F(StagedCause, APersonSuspendedIt) {
    two(0);
    slow.submit(0);
    ASSERT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    expect_cause("suspended", "a person suspended it (xcli suspend)");
    const std::string told = xcli({"explain", "slow"}).out;
    EXPECT_FALSE(has(told, "(suspended by")) << "it is said once: " << told;
    EXPECT_TRUE(has(told, "(without a pause) in 1 s")) << told;
}

TEST_F(StagedCause, ASuspensionThatIsOver) {
    two(0);
    const Work mine(slow);
    ASSERT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    expect_cause("suspended", "a person suspended it (xcli suspend)");
    ASSERT_EQ(xcli({"resume", "-x", "0xab1"}).status, 0);
    expect_cause("suspended", "and it was resumed");
    EXPECT_EQ(advice, "");
    expect_cause("suspended", " s ago");
}

TEST_F(StagedCause, ALimitThatIsLifted) {
    two(0);
    policy("PUP");
    hint("0xab1", {"--limit", "10"});
    const Work mine(slow);
    expect_cause("limit", "its limit is 10 percent");
    hint("0xab1", {"--limit", "0"});
    expect_cause("limit", "has no limit now");
    EXPECT_EQ(advice, "");
}

// Between its bursts the program has no work, which is no sign that its share is enough for it. A person's hold stands
// for one by its share.
TEST_F(StagedCause, WhatWasHeldIsNotContentWithItsShare) {
    two(0);
    policy("PUP");
    hint("0xab1", {"--share", "80"});
    const auto facts = [this] { return xcli({"explain", "slow", "--json"}).json()["programs"][0]["facts"]; };
    const auto says = [&](const std::string& why) {
        return eventually([&] { return has(facts()["devices"][0].value("why_less", ""), why); });
    };
    EXPECT_TRUE(says("it does not ask for more")) << facts()["devices"];
    slow.submit(0);
    ASSERT_EQ(xcli({"suspend", "-x", "0xab1"}).status, 0);
    ASSERT_TRUE(eventually([&] { return facts()["held"][1]["ms"].get<double>() >= 300; }));
    ASSERT_EQ(xcli({"resume", "-x", "0xab1"}).status, 0);
    slow.complete(0);
    ASSERT_TRUE(eventually([&] { return facts()["state"] == "idle"; }));
    EXPECT_TRUE(says("it asks now and then")) << facts()["devices"];
}

// A minute in which an ended program was held belongs to that program, which was this user's own.
TEST_F(StagedCause, AnEndedProgramIsNamed) {
    two_processes(-10);
    {
        const Work mine(slow);
        ASSERT_TRUE(eventually([&] { return has(xcli({"explain", "slow"}).out, "(rival) "); }));
    }
    const std::string its = std::to_string(child);
    kill(child, SIGKILL);
    waitpid(std::exchange(child, 0), nullptr, 0);
    ASSERT_TRUE(eventually([&] { return client_count() == 1; }));
    const std::string told = xcli({"explain", "slow"}).out;
    EXPECT_TRUE(has(told, "costs others: pid " + its + " (rival, which has ended)")) << told;
    EXPECT_FALSE(has(told, "another user's program")) << told;
}

TEST_F(StagedCause, SuspendedByItself) {
    two(0);
    slow.slot(0).api_suspended = 1;
    slow.submit(0);
    expect_cause("suspended_by_itself");
}

TEST_F(StagedCause, NothingWasEverGivenToADevice) {
    ASSERT_TRUE(slow.connect(socket(), "slow"));
    expect_cause("no_queues");
}

TEST_F(StagedCause, Alone) {
    one();
    const Work mine(slow);
    expect_cause("alone");
}

TEST_F(StagedCause, ItHasNoWork) {
    two(0);
    expect_cause("idle");
}

TEST_F(StagedCause, ItWaitsForItsHost) {
    two(0);
    slow.slot(0).stands_at[0] = ipc::stand_mark(slow.slot(0).completed);
    slow.submit(0);
    expect_cause("waits_for_host");
}

TEST_F(StagedCause, BesideAnEqual) {
    two(0);
    const Work mine(slow), its(other);
    expect_cause("shares", "(rival, priority 0)");
}

// The urgent one of two programs is never held, so what makes it slow is its own work; the tests above have the
// causes for the other one.
TEST_F(StagedCause, ItsOwnCommandsTakeSoLong) {
    two(-1);
    const Work mine(slow), its(other);
    expect_cause("its_own_work");
}

TEST_F(StagedCause, TheHostGivesTheDeviceLittle) {
    two(-1);
    slow.slot(0).command_ns = base::kMillisecond;
    const Work mine(slow, 0, 10), its(other);
    expect_cause("host");
}

TEST_F(StagedCause, ItsCommandsAreTooShort) {
    two(-1);
    const Work mine(slow, 0, 10), its(other);
    expect_cause("short_commands");
}

TEST_F(StagedCause, KernelsOfAnotherThatNothingTakesOff) {
    two(-1);
    other.slot(0).command_ns = 12 * base::kMillisecond;
    const Work mine(slow, 0, 10), its(other);
    expect_cause("long_kernels", "12.0 ms");
}

TEST_F(StagedCause, CopiesOfAnotherKeepTheEngine) {
    two_processes(-1, 64 << 20);
    const Work mine(slow, 0, 50, 20, 1 << 20);
    expect_cause("copies", "64 MiB each");
}

TEST_F(StagedCause, ItCopiesMostOfTheTime) {
    two_processes(-1);
    const Work mine(slow, 0, 100, 0, 16 << 20);
    expect_cause("copies", "100 percent of its commands are copies of 16 MiB");
}

TEST_F(StagedCause, ItLostItsClaim) {
    two(-1);
    slow.submit(0);
    const Work its(other);
    expect_cause("lost_claim", "none completed");
}

TEST_F(StagedCause, ItsQueuesAreBeyondItsUsersLimit) {
    ASSERT_EQ(xcli({"limit", std::to_string(geteuid()) + ":queues=1"}).status, 0);
    two(0);
    expect_cause("unscheduled", "1 of its queues", "rival");
}

TEST_F(StagedCause, TheServerWasLost) {
    server.reset();
    ASSERT_EQ(xcli({"run", "--", "/bin/true"}).status, 0);  // starts a server that has a supervisor
    bool named = false;
    for (int i = 0; i < 20 && !named; ++i) {
        const Json before = xcli({"server", "--json"}).json();
        kill(before.value("pid", 0), SIGKILL);
        ASSERT_TRUE(eventually([&] { return xcli({"server", "--json"}).json().value("restarts", 0) > i; }));
        TestClient client(socket(), "slow");
        if (!client.connected()) continue;
        client.add_queue(0, 0, 0xab1);
        named = has(xcli({"explain", "slow", "--json"}).out, "\"server_is_new\"");
    }
    EXPECT_TRUE(named);
}

}  // namespace
}  // namespace xsched::test
