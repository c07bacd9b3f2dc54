// Memory that makes room (docs/memory.md). Memory that is not on the card ends a program that touches it, and new
// memory has contents of its own (fake/cuda/pieces.cpp).
#include "system/memory_rig.h"

namespace xsched::test {
namespace {

TEST_F(CudaMemory, AProgramMakesRoomAndHasAllOfItBack) {
    const auto holder = holding(0, true);
    for (const char* stop : {"first", "second"}) {
        const auto taker = start(kTaker, "160", 10, false, stop);
        EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err() << server->process().err();
        tell(stop);
        EXPECT_EQ(taker->wait(), 0);
        EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    }
    EXPECT_NE((holder->take_output(), holder->err()).find("went to the host"), std::string::npos);
    ends_well(*holder);
}

TEST_F(CudaMemory, WithoutPermissionItIsAsNatively) {
    const auto holder = holding(0, false);
    const auto taker = taking(10, "code 2");
    tell("taker");
    ends_well(*holder);
}

TEST_F(CudaMemory, AMoreUrgentProgramGivesNothing) {
    const auto holder = holding(10, true);
    const auto taker = taking(0, "code 2");
    tell("taker");
    ends_well(*holder);
}

TEST_F(CudaMemory, WhatTheUrgentProgramHadIsThereWhenItIsKilled) {
    const auto holder = holding(0, true);
    const auto taker = taking(10, "code 0");
    kill_now(*taker);
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    ends_well(*holder);
}

TEST_F(CudaMemory, AProgramThatIsKilledWhileItsMemoryIsAwayLeavesNothing) {
    const auto holder = holding(0, true);
    const auto taker = taking(10, "code 0");
    kill_now(*holder);
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    const auto next = start(kTaker, "190", 0, false, "next");
    EXPECT_TRUE(says(*next, "code 0")) << "all of the card is free";
    tell("next");
}

// The server is killed while a program's memory is moved away. Then no other program's request keeps it away: the
// program takes its memory back as soon as the device has room.
TEST_F(CudaMemory, ItComesBackWithoutAServer) {
    const auto holder = holding(0, true);
    const auto taker = taking(10, "code 0");
    server->stop(SIGKILL);
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    ends_well(*holder);
}

TEST_F(CudaMemory, NothingBeyondTheLimit) {
    for (const bool evictable : {false, true}) {
        Environment own = environment("64", 0, evictable, "filler");
        own["XSCHED_MEMORY_LIMIT"] = std::to_string(40 << 20);
        Process filler({"/usr/bin/python3", "-c", in_cuda(kFiller)}, own);
        EXPECT_EQ(filler.wait(), 0);
        filler.take_output();
        EXPECT_NE(filler.out().find("code 0 24 40\ncode 0 8 40\ncode 2 8 40\ncode 2 8 40\nagain 0\nrows 2\n"),
                  std::string::npos)
            << filler.out() << filler.err();
        EXPECT_NE(filler.err().find("0.02 GiB failed: this program may have 0.04 GiB on the device (its memory limit)"),
                  std::string::npos)
            << filler.err();
    }
}

TEST_F(CudaMemory, EachWayToAllocateCounts) {
    Environment own = environment("64", 0, false, "filler");
    own["XSCHED_MEMORY_LIMIT"] = std::to_string(40 << 20);
    Process program({"/usr/bin/python3", "-c", in_cuda(kEachWay)}, own);
    EXPECT_EQ(program.wait(), 0);
    program.take_output();
    for (const char* way : {"plain", "in_order", "array", "physical"})
        EXPECT_NE(program.out().find(std::string(way) + " [[0, 0, 2], [0, 0, 2]]"), std::string::npos)
            << way << " " << program.out() << program.err();
    EXPECT_NE(program.out().find("whole 40"), std::string::npos) << program.out();
    EXPECT_EQ(program.out().find("error"), std::string::npos) << program.out();
}

// Two programs of one user: the second one may have the memory that the first one leaves, and more when the first ends.
TEST_F(CudaMemory, ProgramsOfAUserShareHisLimit) {
    ASSERT_TRUE(answer_of_server(
        socket(), {{"cmd", "limit"}, {"set", std::to_string(geteuid()) + ":memory-limit=100MiB"}})["ok"]);
    const auto holder = start(kHolder, "64", 0, true, "holder");
    ASSERT_TRUE(says(*holder, "holds")) << holder->out() << holder->err();
    const auto filler = start(kFiller, "64", 0, false, "filler");
    EXPECT_EQ(filler->wait(), 0);
    filler->take_output();
    EXPECT_NE(filler->out().find("code 0 20 100\ncode 0 4 100\ncode 2 4 100\ncode 2 4 100\nagain 0\nrows 2\n"),
              std::string::npos)
        << filler->out() << filler->err();
    EXPECT_NE(filler->err().find("may have 0.10 GiB on the device together"), std::string::npos) << filler->err();
    EXPECT_EQ(program(*holder)["memory_limit"], 100 << 20);
    ends_well(*holder);
    const auto next = start(kFiller, "64", 0, false, "filler");
    EXPECT_EQ(next->wait(), 0);
    EXPECT_EQ((next->take_output(), next->out()).find("code 2"), std::string::npos) << next->out();
}

// The holder has 96 MiB in blocks of 16, of which 32 MiB are guaranteed to stay. A request for more than the rest is
// refused, a smaller one is met.
TEST_F(CudaMemory, WhatIsGuaranteedStays) {
    Environment own = environment("96", 0, true, "holder");
    own["XSCHED_MEMORY_GUARANTEE"] = std::to_string(32 << 20);
    Process holder({"/usr/bin/python3", "-c", in_cuda(kHolder)}, own);
    ASSERT_TRUE(says(holder, "holds")) << holder.err();
    const auto greedy = start(kTaker, "176", 10, false, "taker");
    EXPECT_TRUE(says(*greedy, "code 2")) << greedy->out() << greedy->err();
    const auto modest = start(kTaker, "112", 10, false, "taker");
    EXPECT_TRUE(says(*modest, "code 0")) << modest->out() << modest->err() << server->process().err();
    tell("taker");
    EXPECT_TRUE(goes_on(holder)) << holder.out() << holder.err();
    ends_well(holder);
}

TEST_F(CudaMemory, APersonSendsItAwayAndBack) {
    const auto holder = holding(10, true);
    ASSERT_TRUE(order("suspend", *holder, {{"memory", true}})["ok"]);
    const auto taker = start(kTaker, "144", 0, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err() << server->process().err();
    EXPECT_TRUE(eventually([&] { return program(*holder)["memory_movable"] == 0; }));
    const Json away = program(*holder);
    EXPECT_TRUE(away["memory_sent_away"]);
    EXPECT_EQ(away["memory_on_host"], 96 << 20);
    EXPECT_EQ(away["memory_on_card"], 0);
    EXPECT_EQ(away["memory_swaps"], 1);
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    ASSERT_TRUE(order("resume", *holder, {})["ok"]);
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    const Json back = program(*holder);
    EXPECT_EQ(back["memory_on_card"], 96 << 20);
    EXPECT_EQ(back["memory_movable"], 96 << 20);
    EXPECT_GT(back["memory_waited_ms"], 0.0);
    ends_well(*holder);
}

// Memory that a person has sent to the host stays there when another server starts. The program's later allocations are
// sent there, too. The server is killed, and its supervisor starts another one.
TEST_F(CudaMemory, AnotherServerKnowsWhatAPersonSentAway) {
    server.reset();
    Process supervisor({binary("xserver"), "--socket", socket()}, directory.environment());
    ASSERT_TRUE(supervisor.wait_for_output("listening on")) << supervisor.err();
    const auto holder = holding(10, true);
    ASSERT_TRUE(order("suspend", *holder, {{"memory", true}})["ok"]);
    ASSERT_TRUE(eventually([&] { return program(*holder)["memory_on_host"] == 96 << 20; }));
    next_server_knows(*holder, "memory_sent_away", supervisor);
    EXPECT_EQ((holder->take_output(), holder->err()).find("came back"), std::string::npos)
        << "it stayed away meanwhile: " << holder->err();
    ASSERT_TRUE(order("resume", *holder, {})["ok"]);
    EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    ends_well(*holder);
}

TEST_F(CudaMemory, AHintIsForWhatIsAllocatedFromThenOn) {
    Environment own = environment("64", 0, false, "holder");
    own["TWICE"] = directory.path() + "/more";
    Process holder({"/usr/bin/python3", "-c", in_cuda(kHolder)}, own);
    ASSERT_TRUE(says(holder, "holds")) << holder.err();
    EXPECT_TRUE(order("hint", holder, {{"evictable", 1}})["ok"]);
    tell("more");
    ASSERT_TRUE(says(holder, "more")) << holder.out() << holder.err();
    EXPECT_TRUE(goes_on(holder)) << holder.out() << holder.err();
    EXPECT_EQ(program(holder)["memory_on_card"], 128 << 20);
    EXPECT_EQ(program(holder)["memory_movable"], 64 << 20);
    EXPECT_NE(holder.err().find("but not the 0.06 GiB that it has already"), std::string::npos) << holder.err();
    const auto taker = start(kTaker, "80", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    EXPECT_TRUE(goes_on(holder)) << holder.out() << holder.err();
    EXPECT_TRUE(order("hint", holder, {{"evictable", 0}})["ok"]);
    const auto late = start(kTaker, "80", 10, false, "late");
    EXPECT_TRUE(says(*late, "code 2")) << late->out() << late->err();
    tell("late");
    ends_well(holder);
}

TEST_F(CudaMemory, AProgramDoesWithoutItsMemoryForAWhile) {
    Environment own = environment("0", 10, true, "none");
    own["AWAY"] = directory.path() + "/away";
    tell("away");
    Process yielder({"/usr/bin/python3", "-c", in_cuda(kYielder)}, own);
    ASSERT_TRUE(says(yielder, "away")) << yielder.out() << yielder.err();
    const auto taker = start(kTaker, "180", 0, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err();
    tell("taker");
    EXPECT_EQ(taker->wait(), 0);
    std::remove(own["AWAY"].c_str());
    EXPECT_TRUE(says(yielder, "back 77")) << yielder.out() << yielder.err();
    EXPECT_EQ(yielder.wait(), 0);
}

TEST_F(CudaMemory, WhatCannotBeMovedIsNotSentAway) {
    const auto holder = holding(0, false);
    const Json refused = order("suspend", *holder, {{"memory", true}});
    EXPECT_FALSE(refused["ok"]);
    EXPECT_NE(refused.dump().find("has no memory that can be moved"), std::string::npos) << refused;
    EXPECT_EQ(program(*holder)["memory_on_card"], 96 << 20);
    EXPECT_TRUE(goes_on(*holder)) << "and it is not suspended";
    ends_well(*holder);
}

// The card has room for one of them and a half.
// The first member's memory is enough for the urgent program. The second one could not get on without the first.
TEST_F(CudaMemory, AGangMovesTogether) {
    const auto start_member = [&](const char* mebibytes, const char* gang) {
        Environment own = environment(mebibytes, 0, true, "holder");
        own["XSCHED_AUTO_XQUEUE_GANG"] = gang;
        return std::make_unique<Process>(std::vector<std::string>{"/usr/bin/python3", "-c", in_cuda(kHolder)}, own);
    };
    const auto first = start_member("64", "team");
    const auto second = start_member("32", "team");
    const auto stranger = start_member("16", "others");
    for (Process* holder : {first.get(), second.get(), stranger.get()})
        ASSERT_TRUE(says(*holder, "holds")) << holder->out() << holder->err();
    const auto taker = start(kTaker, "96", 10, false, "taker");
    EXPECT_TRUE(says(*taker, "code 0")) << taker->out() << taker->err() << server->process().err();
    EXPECT_TRUE(eventually([&] { return program(*second)["memory_on_host"] == 32 << 20; })) << program(*second).dump();
    EXPECT_GT(program(*first)["memory_on_host"], 0);
    EXPECT_EQ(program(*stranger)["memory_on_host"], 0);
    tell("taker");
    for (Process* holder : {first.get(), second.get(), stranger.get()})
        EXPECT_TRUE(goes_on(*holder)) << holder->out() << holder->err();
    EXPECT_EQ(program(*second)["memory_swaps"], 1) << "it does not come and go";
    for (Process* holder : {first.get(), second.get(), stranger.get()}) ends_well(*holder);
}

TEST_F(CudaMemory, EqualsTakeTurns) {
    const auto one = start(kHolder, "128", 0, true, "holder");
    ASSERT_TRUE(says(*one, "holds")) << one->err();
    const auto other = start(kHolder, "128", 0, true, "holder");
    ASSERT_TRUE(says(*other, "holds")) << other->out() << other->err();
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(goes_on(*one)) << i << one->out() << one->err();
        EXPECT_TRUE(goes_on(*other)) << i << other->out() << other->err();
    }
    ends_well(*one);
    ends_well(*other);
}

}  // namespace
}  // namespace xsched::test
