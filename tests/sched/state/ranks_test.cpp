// Tests that the sums over all less urgent units in sched/state/ranks.h equal those of a loop over all pairs of
// units.
#include "sched/state/ranks.h"

#include <gtest/gtest.h>

#include <random>

namespace xsched::sched {
namespace {

struct One {
    int32_t priority;
    uint64_t process;
    int64_t number;
};

std::vector<One> some(std::mt19937& random) {
    std::vector<One> all(random() % 12);
    for (One& one : all) one = {static_cast<int32_t>(random() % 5), random() % 4, static_cast<int64_t>(random() % 100)};
    return all;
}

TEST(Ranks, OrderThePriorities) {
    const int32_t priorities[] = {5, -3, 5, 200};
    Ranks ranks;
    ranks.build(4, [&](size_t at) { return priorities[at]; });
    EXPECT_EQ(ranks.count(), 3U);
    EXPECT_EQ(ranks.of(1), 0U);
    EXPECT_EQ(ranks.of(0), 1U);
    EXPECT_EQ(ranks.of(2), 1U);
    EXPECT_EQ(ranks.of(3), 2U);
    ranks.build(0, [&](size_t at) { return priorities[at]; });
    EXPECT_EQ(ranks.count(), 0U);
}

TEST(Processes, OtherThanOne) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        const std::vector<One> all = some(random);
        Processes first, second;
        for (size_t i = 0; i < all.size(); ++i) (i % 2 == 0 ? first : second).add(all[i].process);
        first.add(second);
        EXPECT_EQ(first.any(), !all.empty());
        for (uint64_t process = 0; process < 5; ++process) {
            const bool any = std::any_of(all.begin(), all.end(), [=](const One& it) { return it.process != process; });
            ASSERT_EQ(first.any_but(process), any);
        }
    }
}

TEST(Largest, OfAllButOne) {
    std::mt19937 random(2);
    for (int round = 0; round < 2000; ++round) {
        const std::vector<One> all = some(random);
        Largest first, second;
        for (size_t i = 0; i < all.size(); ++i) (i % 2 == 0 ? first : second).add(all[i].process, all[i].number);
        first.add(second);
        for (uint64_t process = 0; process < 5; ++process) {
            int64_t most = 0;
            for (const One& it : all)
                if (it.process != process) most = std::max(most, it.number);
            ASSERT_EQ(first.but_of(process), most) << "round " << round;
        }
    }
}

}  // namespace
}  // namespace xsched::sched
