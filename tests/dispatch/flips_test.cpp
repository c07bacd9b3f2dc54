// A user's clients whose words are different each time the dispatcher reads them. The work of a pass for them is
// bounded, another user's decision comes in the first pass after his ring, and honest programs that come and go are
// still seen at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "dispatch/allocations.h"
#include "dispatch/fake_client.h"
#include "dispatch/user_share.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

// The policy HPF, which counts how often it decides, for how many units, and how many units it forgets.
class CountingHpf final : public policy::Policy {
public:
    struct Counts {
        uint64_t decisions = 0;
        uint64_t units = 0;
        uint64_t forgotten = 0;
    };
    explicit CountingHpf(Counts& counts) : counts_(counts), hpf_(policy::find_policy("HPF")->make()) {}
    int64_t choose(std::span<const policy::Unit> units, int64_t now_ns, std::span<policy::Choice> choices) override {
        ++counts_.decisions;
        counts_.units += units.size();
        return hpf_->choose(units, now_ns, choices);
    }
    void forget(uint64_t device) override {
        ++counts_.forgotten;
        hpf_->forget(device);
    }

private:
    Counts& counts_;
    std::unique_ptr<policy::Policy> hpf_;
};

using Random = std::mt19937_64;

struct Flip {
    const char* name;
    void (*prepare)(FakeClient& client, uint32_t at);
    void (*flip)(FakeClient& client, uint32_t at, Random& random);
};

constexpr uint64_t kVictims = 1;  // their device
constexpr uint64_t kOther = 2;

template <uint64_t kDevice>
void queue_on(FakeClient& client, uint32_t at) {
    client.make_queue(at, static_cast<int32_t>(at % 4), kDevice);
    client.submit(at, kStart);
}
void queue_anywhere(FakeClient& client, uint32_t at) {
    client.make_queue(at, 0, kOther + at);
    client.submit(at, kStart);
}
template <uint64_t kDevice>
void scribble(FakeClient& client, uint32_t at, Random& random) {
    client.scribble(at, random);
    if (kDevice != 0) client.slot(at).device = kDevice;
    client.slot(at).state = static_cast<uint32_t>(ipc::SlotState::kUsed);
}
void flip_gang(FakeClient& client, uint32_t at, Random& random) {
    client.slot(at).gang = static_cast<int64_t>(random() >> 2);
}
void flip_device(FakeClient& client, uint32_t at, Random& random) { client.slot(at).device = kOther + random(); }
void flip_handle(FakeClient& client, uint32_t at, Random& random) { client.slot(at).handle = random(); }
void flip_state(FakeClient& client, uint32_t at, Random& random) { client.slot(at).state = random() % 2; }
void flip_hints(FakeClient& client, uint32_t at, Random& random) {
    client.slot(at).priority = static_cast<int32_t>(random() % 511) - 255;
    client.slot(at).expect_ns = kStart + static_cast<int64_t>(random() % (200 * kMs));
    client.slot(at).period_us = static_cast<int64_t>(random() % 2000);
}
void flip_work(FakeClient& client, uint32_t at, Random& random) {
    client.slot(at).submitted = client.slot(at).completed.load() + random() % 2;
    client.slot(at).ready_since_ns = kStart + static_cast<int64_t>(random() % (200 * kMs));
}

class Flips : public ::testing::TestWithParam<Flip> {
protected:
    static constexpr int kPasses = 400;
    static constexpr int64_t kApartNs = 100 * kUs;
    // Returns the limits that xserver has for an ordinary user.
    static std::shared_ptr<UserLimits> limits_of(uint64_t account) {
        auto limits = std::make_shared<UserLimits>();
        limits->account = account;
        limits->highest_priority = 127;
        return limits;
    }
    void add(FakeClient& client, const std::shared_ptr<UserLimits>& limits) {
        ClientView view = client.view();
        view.limits = limits;
        view.record = std::make_shared<ClientRecord>();
        dispatcher.add_client(view);
    }

    CountingHpf::Counts counts;
    Dispatcher dispatcher{
        sched::Core(std::make_unique<CountingHpf>(counts), {.starvation_limit_ns = 0, .anticipation_max_ns = 0})};
    FakeClient low{1, 100};
    FakeClient high{2, 200};
    FakeClient attacker{3, 300};
};

TEST_P(Flips, CostSoMuchAPassAndDelayNobodyElse) {
    const Flip& flip = GetParam();
    const auto victims = limits_of(1);
    victims->highest_priority = PRIORITY_MAX;
    low.make_queue(0, 150, kVictims);
    high.make_queue(0, 200, kVictims);
    low.submit(0, kStart);
    add(low, victims);
    add(high, victims);
    for (uint32_t at = 0; at < ipc::kMostQueues; ++at) flip.prepare(attacker, at);
    add(attacker, limits_of(2));
    Random random(7);
    int64_t now_ns = kStart;
    long most_allocations = 0;
    uint64_t most_decisions = 0;
    uint64_t most_units = 0;
    const long allocated = allocations();
    for (int i = 0; i < kPasses; ++i) {
        for (uint32_t at = 0; at < ipc::kMostQueues; ++at) flip.flip(attacker, at, random);
        now_ns += kApartNs;
        i % 2 == 0 ? high.submit(0, now_ns) : high.complete(0, now_ns);
        const CountingHpf::Counts before = counts;
        const long allocated_before = allocations();
        const uint32_t rung[] = {3, 2};
        dispatcher.pass(now_ns, rung);
        ASSERT_EQ(low.suspended(0), i % 2 == 0) << "pass " << i << ": in the pass of its ring";
        most_allocations = std::max(most_allocations, allocations() - allocated_before);
        most_decisions =
            std::max(most_decisions, counts.decisions - before.decisions + counts.forgotten - before.forgotten);
        most_units = std::max(most_units, counts.units - before.units);
    }
    printf("%s: at most %ld allocations, %llu decisions on %llu units a pass; %ld allocations in all\n", flip.name,
           most_allocations, static_cast<unsigned long long>(most_decisions),
           static_cast<unsigned long long>(most_units), allocations() - allocated);
    // How much one pass may do: two decisions for the victims, and for the attacker as much as a user's allowance
    // permits.
    EXPECT_LE(most_decisions, 26U);
    EXPECT_LE(most_units, 64U);
    EXPECT_LE(most_allocations, 600);
    EXPECT_LE(allocations() - allocated, 40L * kPasses) << "in the long run";
}

INSTANTIATE_TEST_SUITE_P(
    Words, Flips,
    ::testing::Values(
        Flip{"all_there", queue_on<kOther>, scribble<0>}, Flip{"all_here", queue_on<kVictims>, scribble<kVictims>},
        Flip{"gangs", queue_on<kOther>, flip_gang}, Flip{"gangs_here", queue_on<kVictims>, flip_gang},
        Flip{"gangs_everywhere", queue_anywhere, flip_gang}, Flip{"devices", queue_on<kOther>, flip_device},
        Flip{"handles", queue_on<kOther>, flip_handle}, Flip{"states", queue_on<kOther>, flip_state},
        Flip{"states_everywhere", queue_anywhere, flip_state}, Flip{"hints", queue_on<kOther>, flip_hints},
        Flip{"hints_here", queue_on<kVictims>, flip_hints}, Flip{"work_everywhere", queue_anywhere, flip_work}),
    [](const auto& flip) { return std::string(flip.param.name); });

// Programs that do what programs do.
class HonestChanges : public Flips {};

// An honest program that creates and destroys a stream for each request, a thousand times a second.
TEST_F(HonestChanges, QueuesMadeAndDestroyedAreSeenAtOnce) {
    const auto limits = limits_of(1);
    low.make_queue(0, 0, kVictims);
    low.submit(0, kStart);
    add(low, limits);
    add(high, limits);
    int64_t now_ns = kStart;
    dispatcher.pass(now_ns, {});
    for (uint64_t i = 1; i <= 2000; ++i) {
        const uint32_t rung[] = {2};
        now_ns += 400 * kUs;
        high.make_queue(0, 10 + static_cast<int32_t>(i % 2), kVictims, i);  // of one unit or the other
        high.submit(0, now_ns);
        dispatcher.pass(now_ns, rung);
        ASSERT_TRUE(low.suspended(0)) << i;
        now_ns += 400 * kUs;
        high.complete(0, now_ns);
        dispatcher.pass(now_ns, rung);
        now_ns += 200 * kUs;
        high.free_queue(0);
        dispatcher.pass(now_ns, rung);
        dispatcher.pass(now_ns + 10 * kUs, {});
        ASSERT_FALSE(low.suspended(0)) << i;
    }
}

// An honest program that begins to use 16 devices at once, with two priorities and 256 queues.
TEST_F(HonestChanges, AProgramOfManyUnitsIsSeenWithinMilliseconds) {
    const auto limits = limits_of(1);
    for (uint32_t at = 0; at < 16; ++at) {
        low.make_queue(at, 0, kVictims + at);
        low.submit(at, kStart);
    }
    add(low, limits);
    int64_t now_ns = kStart;
    for (int64_t again = now_ns; again != 0 && again < kStart + 50 * kMs; again = dispatcher.pass(now_ns = again, {})) {
    }
    now_ns = kStart + 100 * kMs;
    for (uint32_t at = 0; at < 256; ++at) {
        high.make_queue(at, 10 + static_cast<int32_t>(at / 16 % 2), kVictims + at % 16);
        high.submit(at, now_ns);
    }
    add(high, limits);
    const auto suspended = [&] {
        uint32_t count = 0;
        for (uint32_t at = 0; at < 16; ++at) count += low.suspended(at) ? 1 : 0;
        return count;
    };
    const int64_t began_ns = now_ns;
    for (int64_t again = now_ns; suspended() < 16; again = dispatcher.pass(now_ns, {})) {
        now_ns = std::max(again, now_ns);
        ASSERT_LT(now_ns, began_ns + 10 * kMs) << suspended() << " of 16";
    }
    printf("after %lld us\n", static_cast<long long>((now_ns - began_ns) / kUs));
}

// The dispatcher keeps records of each slot that was used once until the client ends. All clients of a user together
// may have only so many records.
TEST(UserRecords, ASlotAfterTheOtherTakesSoMuchMemoryAndNoMore) {
    constexpr uint32_t kQueues = 64;
    Dispatcher dispatcher(hpf_core());
    auto limits = std::make_shared<UserLimits>();
    limits->queues = kQueues;
    FakeClient one(1, 100);
    FakeClient two(2, 200);
    std::vector<std::shared_ptr<ClientRecord>> records;
    for (FakeClient* client : {&one, &two}) {
        ClientView view = client->view();
        view.limits = limits;
        view.record = std::make_shared<ClientRecord>();
        records.push_back(view.record);
        dispatcher.add_client(view);
    }
    for (uint32_t at = 0; at < UserShare::kRecordsPerQueue * kQueues; ++at) {
        for (FakeClient* client : {&one, &two}) client->make_queue(at, 0);
        dispatcher.pass(kStart + at * kMs);
        for (FakeClient* client : {&one, &two}) client->free_queue(at);
    }
    uint32_t kept = 0;
    for (const auto& record : records)
        for (uint32_t at = 0; at < ipc::kMostQueues; ++at)
            if (const QueueRecord* queue = record->find(at)) kept += queue->lengths() != nullptr ? 1 : 0;
    EXPECT_EQ(kept, UserShare::kRecordsPerQueue * kQueues);
    one.make_queue(0, 0);
    dispatcher.pass(kStart + base::kSecond);
    EXPECT_EQ(limits->queues_used, 1U) << "a slot that is used again";
    two.make_queue(200, 0);
    dispatcher.pass(kStart + 2 * base::kSecond);
    EXPECT_EQ(records[1]->unscheduled, 1U);
    dispatcher.remove_client(1);
    dispatcher.pass(kStart + 3 * base::kSecond);
    EXPECT_EQ(limits->queues_used, 1U) << "its client has gone: there is room for others";
}

TEST(UserDevices, QueuesOnMoreAreNotScheduled) {
    auto limits = std::make_shared<UserLimits>();
    UserShare share(limits);
    for (uint64_t device = 0; device < UserShare::kMostDevices; ++device) EXPECT_TRUE(share.take_queue(device));
    EXPECT_TRUE(share.take_queue(0));
    EXPECT_FALSE(share.take_queue(1000));
    share.return_queue(5);
    EXPECT_TRUE(share.take_queue(1000));
    share.return_queue(0);
    EXPECT_FALSE(share.take_queue(1001)) << "one queue of that device is still there";
    EXPECT_EQ(limits->queues_used, UserShare::kMostDevices);
}

}  // namespace
}  // namespace xsched::dispatch
