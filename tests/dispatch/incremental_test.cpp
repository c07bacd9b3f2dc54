// A dispatcher that reads only clients that rang the doorbell must decide like one that reads all clients: two
// dispatchers over the same random worlds.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>

#include "dispatch/fake_client.h"

namespace xsched::dispatch {
namespace {

using namespace testing;

constexpr uint32_t kClients = 12;
constexpr uint32_t kQueues = 4;

// Two dispatchers, one that reads everything and one that reads only clients that rang. Their clients' memories get
// the same stores.
class Twins {
public:
    explicit Twins(uint32_t seed, const char* policy)
        : full(sched::Core(policy::find_policy(policy)->make())),
          incremental(sched::Core(policy::find_policy(policy)->make())),
          random_(seed) {
        for (uint32_t id = 1; id <= kClients; ++id) come(id);
    }

    // One step of both dispatchers: some random changes, a pass that the changed clients rang for, and time that
    // passes.
    void step() {
        rung_.clear();
        for (uint32_t changes = below(4); changes > 0; --changes) change();
        std::vector<uint32_t> rung(rung_.begin(), rung_.end());
        const int64_t wake = full.pass(now);
        int64_t own_wake = incremental.pass(now, rung);
        for (int i = 0; i < 100 && own_wake == now; ++i) own_wake = incremental.pass(now, {});
        compare();
        int64_t next = now + below(3'000'000);
        for (const int64_t time : {wake, own_wake})
            if (time > now) next = std::min(next, time);
        now = next;
    }

    // Delays are brought up to date only when a tool asks or something changes. So both dispatchers make a full pass
    // before their delays are compared.
    void compare_delays() {
        full.pass(now);
        incremental.pass(now);
        for (auto& [id, pair] : pairs_)
            ASSERT_EQ(full.delay_caused_ns(id), incremental.delay_caused_ns(id)) << "client " << id;
    }

private:
    struct Pair {
        std::unique_ptr<FakeClient> a, b;
    };
    uint32_t below(uint32_t limit) { return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random_); }

    void come(uint32_t id) {
        pairs_[id] = {std::make_unique<FakeClient>(id, static_cast<int32_t>(id)),
                      std::make_unique<FakeClient>(id, static_cast<int32_t>(id))};
        full.add_client(pairs_[id].a->view());
        incremental.add_client(pairs_[id].b->view());
    }

    template <typename Change>
    void both(uint32_t id, Change change) {
        change(*pairs_[id].a);
        change(*pairs_[id].b);
        rung_.insert(id);
    }

    void change() {
        const uint32_t id = 1 + below(kClients);
        const uint32_t at = below(kQueues);
        const uint32_t what = below(100);
        const int32_t priority = static_cast<int32_t>(below(4)) * 5;
        const uint64_t device = 1 + below(3);
        if (what < 2) {
            full.remove_client(id);
            incremental.remove_client(id);
            come(id);
        } else if (what < 12) {
            const uint64_t handle = ++handles_;
            both(id, [&](FakeClient& it) { it.make_queue(at, priority, device, handle); });
        } else if (what < 16) {
            both(id, [&](FakeClient& it) { it.free_queue(at); });
        } else if (what < 22) {
            both(id, [&](FakeClient& it) { it.slot(at).priority = priority; });
        } else if (what < 26) {
            const int64_t length = below(4) * 700'000;
            both(id, [&](FakeClient& it) { it.slot(at).command_ns = length; });
        } else if (what < 28) {
            const bool held = below(2) == 0;
            full.set_suspended_by_person(id, 0, held);
            incremental.set_suspended_by_person(id, 0, held);
        } else if (what < 32) {
            const int64_t in_ns = below(5'000'000);
            both(id, [&](FakeClient& it) { it.slot(at).expect_ns = now + in_ns; });
        } else {
            both(id, [&](FakeClient& it) {
                if (it.slot(at).submitted == it.slot(at).completed)
                    it.submit(at, now);
                else
                    it.complete(at, now);
            });
        }
    }

    void compare() {
        for (auto& [id, pair] : pairs_) {
            for (uint32_t at = 0; at < kQueues; ++at) {
                const ipc::QueueSlot& a = pair.a->slot(at);
                const ipc::QueueSlot& b = pair.b->slot(at);
                if (a.state.load() == 0) continue;
                ASSERT_EQ(a.suspended, b.suspended) << "client " << id << " queue " << at << " at " << now - kStart;
                ASSERT_EQ(a.gate, b.gate);
                ASSERT_EQ(a.by_pid, b.by_pid) << "client " << id << " queue " << at << " at " << now - kStart;
                ASSERT_EQ(a.window_ns, b.window_ns);
                ASSERT_EQ(a.interrupt, b.interrupt);
                ASSERT_EQ(a.device_timeslice_us, b.device_timeslice_us);
                ASSERT_EQ(a.gates_apart_us, b.gates_apart_us);
            }
            ASSERT_EQ(pair.a->header().watching, pair.b->header().watching);
        }
    }

public:
    Dispatcher full;
    Dispatcher incremental;
    int64_t now = kStart;

private:
    std::mt19937 random_;
    std::map<uint32_t, Pair> pairs_;
    std::set<uint32_t> rung_;
    uint64_t handles_ = 0;
};

class Incremental : public ::testing::TestWithParam<uint32_t> {};

TEST_P(Incremental, DecidesAsAWholePassDoes) {
    Twins twins(GetParam(), "HPF");
    for (int i = 0; i < 1500 && !HasFailure(); ++i) twins.step();
    twins.compare_delays();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Incremental, ::testing::Range(1U, 13U));

}  // namespace
}  // namespace xsched::dispatch
