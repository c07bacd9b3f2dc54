// Limits and guarantees of memory that several programs have together: how they are divided.
#include "dispatch/joint_memory.h"

#include "dispatch/limited_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

class JointMemories : public LimitedClients {
protected:
    void SetUp() override {
        limits->account = 5;
        group->memory_account = 6;
    }
    ipc::DeviceMemory& memory(FakeClient& client) { return client.header().memory[0]; }
    // Adds a program of the user with limits, or of another user, in the control group.
    void add(FakeClient& client, bool of_user, int32_t priority = 0) {
        ClientView added = of_user ? view(client) : client.view();
        added.group = group;
        memory(client).device = 1;
        client.header().memory_priority = priority;
        dispatcher.add_client(added);
    }
    void has(FakeClient& client, uint64_t bytes) { memory(client).counted = memory(client).fixed = bytes; }
    // Program `one` asks to have at most `wanted`, and gets an answer.
    void ask_for(uint64_t wanted) {
        memory(one).limit_wanted = wanted;
        memory(one).limit_asked = memory(one).limit_asked + 1;
        dispatcher.look_at(1);
        go_on();
        EXPECT_EQ(memory(one).limit_answered, memory(one).limit_asked);
    }
    void go_on() { passes_within(dispatcher, now_ns, 10 * kMs); }

    std::shared_ptr<GroupShare> group = std::make_shared<GroupShare>();
    int64_t now_ns = kStart;
};

TEST_F(JointMemories, WhatIsLeftIsDividedEvenly) {
    limits->memory_limit = 100;
    add(one, true);
    add(two, true);
    add(other, false);
    has(one, 20);
    has(other, 70);
    go_on();
    EXPECT_EQ(memory(one).may_have, 60U);
    EXPECT_EQ(memory(two).may_have, 40U);
    EXPECT_EQ(memory(one).joint_most, 100U);
    EXPECT_EQ(memory(two).joint_most, 80U);
    EXPECT_EQ(one.header().memory_joint_limit, 100U);
    EXPECT_EQ(other.header().memory_joint_limit, 0U) << "another user's";
}

TEST_F(JointMemories, OfUserAndGroupWhicheverAllowsLessCounts) {
    limits->memory_limit = 100;
    group->memory_limit = 90;
    add(one, true);
    add(other, false);
    has(other, 70);
    go_on();
    EXPECT_EQ(one.header().memory_joint_limit, 90U);
    EXPECT_EQ(memory(one).joint_most, 20U);
    EXPECT_LE(memory(one).may_have, 10U);
    ask_for(21);
    EXPECT_LT(memory(one).may_have, 21U);
    ask_for(20);
}

TEST_F(JointMemories, ALimitThatIsTakenBackIsNone) {
    limits->memory_limit = 100;
    add(one, true);
    go_on();
    ASSERT_EQ(one.header().memory_joint_limit, 100U);
    limits->memory_limit = 0;
    dispatcher.look_at(1);
    go_on();
    EXPECT_EQ(one.header().memory_joint_limit, 0U);
}

TEST_F(JointMemories, TheMostUrgentHaveTheGuaranteeFirst) {
    limits->memory_guarantee = 100;
    add(one, true, 0);
    add(two, true, 5);
    has(one, 60);
    has(two, 70);
    go_on();
    EXPECT_EQ(memory(two).joint_guarantee, 70U);
    EXPECT_EQ(memory(one).joint_guarantee, 30U);
}

TEST_F(JointMemories, AGuaranteeKeepsOthersFromTakingIt) {
    group->memory_guarantee = 60;
    add(one, true, 0);
    add(other, false, 10);
    memory(one).on_card = 100;
    memory(one).evictable = 1;
    one.header().memory_used = other.header().memory_used = 1;
    memory(other).wanted = 50;
    memory(other).asked = 1;
    go_on();
    EXPECT_EQ(memory(one).away, 0U);
    EXPECT_EQ(memory(other).answer, static_cast<uint32_t>(ipc::MemoryAnswer::kNotEnough));
    memory(other).wanted = 40;
    memory(other).asked = 2;
    dispatcher.look_at(3);
    go_on();
    EXPECT_EQ(memory(one).away, 40U);
}

}  // namespace
}  // namespace xsched::dispatch
