// Requests for memory between clients of several users: with which priority they count, and that a program which does
// not do as it is ordered delays no other program for good.
#include "dispatch/memory_desk.h"

#include <map>
#include <memory>

#include "dispatch/limited_clients.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

constexpr uint64_t kMemoryBytes = uint64_t{1} << 30;

class MemoryRequests : public LimitedClients {
protected:
    ipc::DeviceMemory& memory(FakeClient& client) { return client.header().memory[0]; }
    void has(FakeClient& client, uint64_t bytes, bool evictable, int32_t priority) {
        memory(client).on_card = bytes;
        memory(client).evictable = evictable ? 1 : 0;
        memory(client).device = 1;
        client.header().memory_priority = priority;
        client.header().memory_used = 1;
    }
    void ask(FakeClient& client, uint64_t bytes) {
        memory(client).wanted = bytes;
        memory(client).asked.fetch_add(1);
    }
    ipc::MemoryAnswer answer(FakeClient& client) {
        if (memory(client).answered != memory(client).asked) return ipc::MemoryAnswer::kNone;
        return static_cast<ipc::MemoryAnswer>(memory(client).answer.load());
    }
    void go_on(int64_t ns) { passes_within(dispatcher, now_ns, ns); }
    // Carries out its order.
    void obey(FakeClient& client) {
        const uint64_t away = std::min(memory(client).away.load(), memory(client).on_card + memory(client).on_host);
        memory(client).on_card += memory(client).on_host - away;
        memory(client).on_host = away;
    }

    int64_t now_ns = kStart;
};

TEST_F(MemoryRequests, NoUserAsksBeyondHisHighestPriority) {
    limits->highest_priority = 50;
    has(other, 4 * kMemoryBytes, true, 60);
    has(one, 0, false, 200);
    dispatcher.add_client(other.view());
    dispatcher.add_client(view(one));
    ask(one, kMemoryBytes);
    go_on(10 * kMs);
    EXPECT_EQ(answer(one), ipc::MemoryAnswer::kNotEnough);
    EXPECT_EQ(memory(other).away, 0u);
    limits->highest_priority = 127;
    ask(one, kMemoryBytes);
    go_on(10 * kMs);
    EXPECT_EQ(memory(other).away, kMemoryBytes) << "it may be more urgent by then";
}

TEST_F(MemoryRequests, ALimitedUserGivesToWhomeverIsMoreUrgentThanHeMayBe) {
    limits->highest_priority = 50;
    has(one, 4 * kMemoryBytes, true, 200);
    has(other, 0, false, 60);
    dispatcher.add_client(view(one));
    dispatcher.add_client(other.view());
    ask(other, kMemoryBytes);
    go_on(10 * kMs);
    EXPECT_EQ(memory(one).away, kMemoryBytes);
    obey(one);
    go_on(10 * kMs);
    EXPECT_EQ(answer(other), ipc::MemoryAnswer::kTryAgain);
}

// A program promised that its memory may be moved away, and moves none, like one that SIGSTOP has stopped: others
// wait for its memory for a minute at most.
TEST_F(MemoryRequests, AProgramThatNeverGivesHoldsUpOthersForAMinute) {
    has(one, kMemoryBytes, true, -5);
    has(two, kMemoryBytes, true, 0);
    has(other, 0, false, 10);
    dispatcher.add_client(view(one));
    dispatcher.add_client(view(two));
    dispatcher.add_client(other.view());
    ask(other, kMemoryBytes);
    go_on(10 * kMs);
    ASSERT_EQ(memory(one).away, kMemoryBytes);
    memory(one).moving = 1;
    go_on(61 * base::kSecond);
    EXPECT_NE(answer(other), ipc::MemoryAnswer::kNone);
    ask(other, kMemoryBytes);
    go_on(10 * kMs);
    EXPECT_EQ(memory(two).away, kMemoryBytes) << "it is passed over";
    obey(two);
    go_on(10 * kMs);
    EXPECT_EQ(answer(other), ipc::MemoryAnswer::kTryAgain);
}

TEST_F(MemoryRequests, NorDoesAProgramThatKeepsItsMemoryAwayInWordsAlone) {
    has(one, kMemoryBytes, true, 0);
    has(two, kMemoryBytes, true, 0);
    has(other, 0, false, 10);
    memory(one).yields = 1;
    dispatcher.add_client(view(one));
    dispatcher.add_client(view(two));
    dispatcher.add_client(other.view());
    go_on(61 * base::kSecond);
    ask(other, kMemoryBytes);
    go_on(10 * kMs);
    EXPECT_EQ(memory(two).away, kMemoryBytes);
}

// A person's order, or the program's own request, keeps the program's memory on the host until that is taken back.
TEST_F(MemoryRequests, AProgramIsKeptAwayUntilItIsResumed) {
    has(one, kMemoryBytes, true, 0);
    dispatcher.add_client(view(one));
    go_on(10 * kMs);
    EXPECT_EQ(memory(one).away, 0u);
    ASSERT_TRUE(dispatcher.keep_memory_away(1, true));
    go_on(10 * kMs);
    EXPECT_EQ(memory(one).away, ipc::kAllMemory);
    obey(one);
    dispatcher.keep_memory_away(1, false);
    memory(one).free = 2 * kMemoryBytes;
    go_on(3 * base::kSecond);
    EXPECT_EQ(memory(one).away, 0u);
    obey(one);
    memory(one).yields = 1;
    dispatcher.look_at(1);
    go_on(10 * kMs);
    EXPECT_EQ(memory(one).away, ipc::kAllMemory);
    EXPECT_FALSE(dispatcher.keep_memory_away(77, true));
}

// A gang on two devices: an urgent program takes the first one's memory.
TEST_F(MemoryRequests, AGangMovesTogether) {
    for (FakeClient* member : {&one, &two}) {
        has(*member, kMemoryBytes, true, 0);
        member->make_queue(0, 0, member == &one ? 1 : 2);
        member->slot(0).gang = 7;
        dispatcher.add_client(view(*member));
    }
    memory(two).device = 2;
    has(other, 0, false, 10);
    dispatcher.add_client(other.view());
    ask(other, kMemoryBytes);
    go_on(10 * kMs);
    ASSERT_EQ(memory(one).away, kMemoryBytes);
    EXPECT_EQ(memory(two).away, 0U);
    obey(one);
    go_on(10 * kMs);
    EXPECT_EQ(memory(two).away, kMemoryBytes) << "it could not get on";
    obey(two);
    memory(two).free = 4 * kMemoryBytes;
    go_on(3 * base::kSecond);
    EXPECT_EQ(memory(two).away, kMemoryBytes) << "the other has no room yet";
    memory(one).free = 4 * kMemoryBytes;
    go_on(3 * base::kSecond);
    EXPECT_EQ(memory(one).away, 0U);
    EXPECT_EQ(memory(two).away, 0U);
    obey(one);
    go_on(10 * kMs);
    obey(two);
    go_on(base::kSecond);
    EXPECT_EQ(memory(one).away + memory(two).away, 0U) << "both are back";
}

// A policy may consider memory as well as time: each unit given to it says how much memory of the unit's device its
// process has.
TEST_F(MemoryRequests, APolicySeesMemory) {
    class Sees : public policy::Policy {
    public:
        int64_t choose(std::span<const policy::Unit> units, int64_t /*now_ns*/, std::span<policy::Choice>) override {
            for (const policy::Unit& unit : units) seen[unit.device] = unit;
            return 0;
        }
        std::map<uint64_t, policy::Unit> seen;
    };
    auto policy = std::make_unique<Sees>();
    Sees& sees = *policy;
    dispatcher.core().set_policy(std::move(policy));
    has(one, 3 * kMemoryBytes, true, 0);
    one.make_queue(0, 0, 1);
    one.make_queue(1, 0, 2);
    memory(one).fixed = kMemoryBytes;
    memory(one).on_host = 5 * kMemoryBytes;
    memory(one).wanted = 2 * kMemoryBytes;
    dispatcher.add_client(view(one));
    go_on(10 * kMs);
    EXPECT_EQ(sees.seen[1].memory, 4 * kMemoryBytes);
    EXPECT_EQ(sees.seen[1].memory_away, 5 * kMemoryBytes);
    EXPECT_EQ(sees.seen[1].memory_wanted, 2 * kMemoryBytes);
    EXPECT_EQ(sees.seen[2].memory, 0u) << "it has none there";
}

}  // namespace
}  // namespace xsched::dispatch
