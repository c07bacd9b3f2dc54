#include <gtest/gtest.h>

#include "policy/policy.h"

namespace xsched::policy::observe_test {
namespace {

Unit observed_unit(uint64_t id, int32_t priority) {
    Unit made{.id = id, .device = 1, .process = id, .wants = true};
    made.priority = priority;
    return made;
}

class ObservePolicy : public ::testing::Test {
protected:
    std::unique_ptr<Policy> policy_ = find_policy("OBSERVE")->make();
    const std::vector<Unit> units_{observed_unit(1, -10), observed_unit(2, 0), observed_unit(3, 10)};
};

TEST_F(ObservePolicy, EverybodyRunsWhateverItsPriority) {
    std::vector<Choice> choices(units_.size());
    EXPECT_EQ(policy_->choose(units_, 1000, choices), 0) << "no answer changes by itself";
    for (const Choice& choice : choices) EXPECT_TRUE(choice.run);
}

TEST_F(ObservePolicy, NobodyKeepsLittleInFlightForAnother) {
    std::vector<uint8_t> marks(units_.size(), 0);
    policy_->mark_preemptible(units_, marks);
    for (const uint8_t mark : marks) EXPECT_EQ(mark, 0);
}

TEST_F(ObservePolicy, NothingIsMadeReadyForTheMoreUrgent) {
    std::vector<int32_t> urgency(units_.size(), 7);
    ASSERT_TRUE(policy_->rank(units_, urgency)) << "else priorities would say it";
    EXPECT_EQ(urgency, std::vector<int32_t>(units_.size(), 0));
}

TEST_F(ObservePolicy, AProgramAloneIsFollowedToo) { EXPECT_TRUE(policy_->spans_devices()); }

}  // namespace
}  // namespace xsched::policy::observe_test
