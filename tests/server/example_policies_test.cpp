// The decisions of the examples of own policies (examples/6_own_policy), through the interface that xserver calls.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.h"
#include "server/loaded_policy.h"

namespace xsched::server {
namespace {

using policy::Choice;
using policy::Unit;

using base::kMillisecond;

class Example : public ::testing::Test {
protected:
    // Loads a policy's library. It is not unloaded, since the policy that it made lives longer than this function.
    void load(const char* path) {
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        auto* describe = reinterpret_cast<const XPolicyModule* (*)()>(dlsym(library, "XSchedPolicy"));
        ASSERT_NE(describe, nullptr);
        policy_ = make_loaded(*describe(), nullptr);
    }
    // Ids of the units that may run.
    std::vector<uint64_t> runs(const std::vector<Unit>& units, int64_t now_ns) {
        std::vector<Choice> choices(units.size());
        again_ns_ = policy_->choose(units, now_ns, choices);
        EXPECT_EQ(policy_->breach(), nullptr);
        std::vector<uint64_t> ids;
        for (size_t i = 0; i < units.size(); ++i)
            if (choices[i].run) ids.push_back(units[i].id);
        return ids;
    }
    static Unit unit(uint64_t id, uint64_t process, int64_t ready_since_ns, uint64_t device = 7) {
        return {.id = id,
                .device = device,
                .process = process,
                .wants = true,
                .ready = true,
                .ready_since_ns = ready_since_ns};
    }

    std::unique_ptr<policy::Policy> policy_;
    int64_t again_ns_ = 0;
};

using Ids = std::vector<uint64_t>;

TEST_F(Example, FirstComeServesWhoeverHasWaitedForLongest) {
    load(XSCHED_FIRST_COME);
    std::vector<Unit> units{unit(1, 10, 30 * kMillisecond), unit(2, 20, 10 * kMillisecond),
                            unit(3, 30, 20 * kMillisecond), unit(4, 20, 40 * kMillisecond)};
    EXPECT_EQ(runs(units, 50 * kMillisecond), (Ids{2, 4})) << "with all of its process";
    units[1].wants = units[1].ready = units[3].wants = units[3].ready = false;
    EXPECT_EQ(runs(units, 51 * kMillisecond), Ids{3});
    units[0].wants = units[2].wants = false;
    EXPECT_EQ(runs(units, 52 * kMillisecond).size(), 4U) << "nobody wants the device";
}

TEST_F(Example, RoundRobinGivesTurnsOfTenMilliseconds) {
    load(XSCHED_ROUND_ROBIN);
    std::vector<Unit> units{unit(1, 10, kMillisecond), unit(2, 20, kMillisecond), unit(3, 30, kMillisecond)};
    EXPECT_EQ(runs(units, 100 * kMillisecond), Ids{1});
    EXPECT_EQ(again_ns_, 110 * kMillisecond);
    EXPECT_EQ(runs(units, 105 * kMillisecond), Ids{1}) << "in the middle of its turn";
    EXPECT_EQ(runs(units, 110 * kMillisecond), Ids{2});
    units[1].wants = false;
    EXPECT_EQ(runs(units, 112 * kMillisecond), Ids{3}) << "who wants nothing has no turn";
    EXPECT_EQ(runs(units, 122 * kMillisecond), Ids{1}) << "from the beginning again";
    EXPECT_EQ(runs({unit(4, 40, kMillisecond, 8), unit(5, 50, kMillisecond, 8)}, 123 * kMillisecond), Ids{4})
        << "each device by itself";
    EXPECT_EQ(runs(units, 124 * kMillisecond), Ids{1});
}

}  // namespace
}  // namespace xsched::server
