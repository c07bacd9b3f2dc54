#include "server/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>
#include <memory>

#include "base/clock.h"
#include "support/child.h"

namespace xsched::server {
namespace {

class CheckpointTest : public ::testing::Test {
protected:
    // Returns the state for the server that comes after the one that wrote.
    Checkpoint next() { return Checkpoint(area.get()); }
    struct Suspended {
        pid_t pid;
        uint64_t queue;  // 0: all of the process
        bool suspended = true;
    };
    // Lets people suspend or resume these processes or queues, and returns the checkpoint as the next server reads
    // it.
    Checkpoint next_after(std::initializer_list<Suspended> said) {
        Checkpoint first = next();
        for (const Suspended& one : said) first.note_suspended(one.pid, one.queue, one.suspended);
        return next();
    }
    CheckpointArea::Copy& in_force() { return area->copies[area->written % 2]; }

    std::unique_ptr<CheckpointArea> area = std::make_unique<CheckpointArea>();
};

TEST_F(CheckpointTest, TheFirstServerFindsNothing) {
    EXPECT_EQ(next().policy(), "");
    EXPECT_TRUE(next().expected().empty());
    EXPECT_TRUE(next().value("limits").is_null());
}

TEST_F(CheckpointTest, WhatWasNotedIsThere) {
    Checkpoint first = next();
    first.note_policy("UP");
    first.note("limits", {{"clients", 5}});
    first.note_expected(getpid());
    first.note_expected(getpid());
    const Checkpoint second = next();
    EXPECT_EQ(second.policy(), "UP");
    EXPECT_EQ(second.value("limits")["clients"], 5);
    EXPECT_EQ(second.expected(), std::vector<pid_t>{getpid()}) << "once";
}

// A user suspends each of his queues; what an administrator says afterwards is remembered all the same.
TEST_F(CheckpointTest, UsersDoNotFillIt) {
    Checkpoint first = next();
    nlohmann::json held = nlohmann::json::array();
    const uint64_t start = start_of(getpid());
    for (uint64_t queue = 1; queue < 8000; ++queue)
        held.push_back({{"pid", getpid()}, {"start", start}, {"queue", UINT64_MAX - queue}});
    first.note("held", held);
    first.note_expected(getpid());
    first.note_policy("UP");
    first.note("limits", {{"clients", "clients=5"}});
    const Checkpoint second = next();
    EXPECT_EQ(second.policy(), "UP");
    EXPECT_EQ(second.value("limits")["clients"], "clients=5");
    EXPECT_EQ(second.expected(), std::vector<pid_t>{getpid()}) << "there is room for these";
    EXPECT_EQ(first.value("held").size(), held.size()) << "this server knows them";
}

// The server writes down each order at once, for a server that starts after a crash. If thousands of queues are
// suspended, that is quick only because each process is looked up once.
TEST_F(CheckpointTest, AProcessIsLookedAtOnceHoweverOftenItIsNamed) {
    Checkpoint first = next();
    nlohmann::json held = nlohmann::json::array();
    const uint64_t start = start_of(getpid());
    for (uint64_t queue = 1; queue <= 4096; ++queue)
        held.push_back({{"pid", getpid()}, {"start", start}, {"queue", queue}});
    first.note("held", held);
    EXPECT_EQ(first.value("held").size(), 4096U);
    test::Sitter child([] { return true; });
    held.push_back({{"pid", child.pid()}, {"start", start_of(child.pid())}, {"queue", 1}});
    held.push_back({{"pid", getpid()}, {"start", start + 1}, {"queue", 1}});  // another process had that number
    first.note("held", held);
    EXPECT_EQ(first.value("held").size(), 4097U);
    child.stop();
    first.note_policy("UP");
    EXPECT_EQ(first.value("held").size(), 4096U);
}

TEST_F(CheckpointTest, WithoutASupervisorNothingBreaks) {
    Checkpoint alone(nullptr);
    alone.note_policy("UP");
    EXPECT_EQ(alone.policy(), "UP");
}

// Processes that have ended are forgotten, since another process may get the number.
TEST_F(CheckpointTest, ProcessesThatEndedAreForgotten) {
    test::Sitter child([] { return true; });
    next().note_expected(child.pid());
    EXPECT_EQ(next().expected(), std::vector<pid_t>{child.pid()});
    child.stop();
    EXPECT_TRUE(next().expected().empty());
}

TEST_F(CheckpointTest, StartsTellProcessesOfOneNumberApart) {
    EXPECT_GT(start_of(getpid()), 0U);
    EXPECT_GE(start_of(getpid()), start_of(1));
    EXPECT_EQ(start_of(0), 0U);
    EXPECT_EQ(start_of(INT32_MAX), 0U);
}

TEST_F(CheckpointTest, WhatWasSuspendedIsAgainOnceItIsThere) {
    Checkpoint second = next_after({{getpid(), 0}, {getpid(), 7}, {getppid(), 0}});
    EXPECT_EQ(second.due_ns(), 0);
    second.client_came(3, getpid(), 1000);
    EXPECT_EQ(second.due_ns(), 1000);
    std::vector<uint64_t> asked;
    const auto no_queue_yet = [&](const Checkpoint::Wanted& one) {
        EXPECT_EQ(one.client, 3U);
        EXPECT_FALSE(one.memory);
        asked.push_back(one.queue);
        return one.queue == 0;
    };
    second.suspend_again(no_queue_yet, 1000);
    EXPECT_EQ(asked, (std::vector<uint64_t>{0, 7}));
    EXPECT_GT(second.due_ns(), 1000) << "the queue comes later";
    second.suspend_again(no_queue_yet, 2000);
    EXPECT_EQ(asked, (std::vector<uint64_t>{0, 7, 7}));
    second.suspend_again([](const Checkpoint::Wanted&) { return true; }, 3000);
    EXPECT_EQ(second.due_ns(), 0);
    second.client_came(4, getpid(), 1000);
    second.suspend_again(no_queue_yet, 600 * base::kSecond);
    EXPECT_EQ(second.due_ns(), 0) << "a queue that never comes is not waited for";
}

TEST_F(CheckpointTest, ResumingAProcessForgetsItsQueues) {
    Checkpoint second = next_after({{getpid(), 7}, {getpid(), 8}, {getpid(), 8, false}});
    second.client_came(1, getpid(), 0);
    std::vector<uint64_t> asked;
    second.suspend_again([&](const Checkpoint::Wanted& one) { return asked.push_back(one.queue), true; }, 0);
    EXPECT_EQ(asked, std::vector<uint64_t>{7});
    second.note_suspended(getpid(), 0, false);
    Checkpoint third = next();
    third.client_came(1, getpid(), 1);
    EXPECT_EQ(third.due_ns(), 0);
}

TEST_F(CheckpointTest, MemoryThatAPersonSentAwayIsAway) {
    Checkpoint first = next();
    first.note_suspended(getpid(), 0, true);
    first.note_memory_away(getpid());
    Checkpoint second = next();
    second.client_came(1, getpid(), 0);
    std::vector<bool> told;
    second.suspend_again([&](const Checkpoint::Wanted& one) { return told.push_back(one.memory), true; }, 0);
    EXPECT_EQ(told, std::vector<bool>{true});
    second.note_suspended(getpid(), 0, false);
    Checkpoint third = next();
    third.client_came(1, getpid(), 1);
    EXPECT_EQ(third.due_ns(), 0) << "it was resumed";
}

// A server that is killed while it writes leaves a whole checkpoint: it never writes to the copy that is in force.
TEST_F(CheckpointTest, TheCopyInForceIsNeverWrittenTo) {
    Checkpoint first = next();
    first.note_policy("HPF");
    const CheckpointArea::Copy* before = &in_force();
    const std::string text(before->text, before->bytes);
    first.note_policy("UP");
    EXPECT_NE(&in_force(), before);
    EXPECT_EQ(std::string(before->text, before->bytes), text);
}

TEST_F(CheckpointTest, DamageIsNoticed) {
    next().note_policy("UP");
    in_force().text[3] ^= 1;
    EXPECT_EQ(next().policy(), "");
    next().note_policy("UP");
    in_force().version += 1;
    EXPECT_EQ(next().policy(), "");
    next().note_policy("UP");
    in_force().bytes = UINT32_MAX;
    EXPECT_EQ(next().policy(), "");
}

TEST_F(CheckpointTest, WhatDoesNotFitLeavesTheRestAsItWas) {
    Checkpoint first = next();
    first.note_policy("UP");
    first.note("limits", std::string(CheckpointArea::kMostBytes, 'x'));
    EXPECT_EQ(next().policy(), "UP");
}

}  // namespace
}  // namespace xsched::server
