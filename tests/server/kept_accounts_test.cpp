// The accounts on which shares rest outlive the server: as the supervisor keeps them, and as the next server's policy
// goes on with them.
#include "server/kept_accounts.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/clock.h"
#include "sched/core/core.h"

namespace xsched::server {
namespace {

using policy::Ahead;
using sched::UnitState;

using base::kMillisecond;
constexpr int64_t kStart = 100'000 * kMillisecond;

std::vector<Ahead> ahead(size_t count, int64_t ns) {
    std::vector<Ahead> accounts;
    for (size_t i = 0; i < count; ++i) accounts.push_back({.device = 1, .account = i + 1, .ns = ns});
    return accounts;
}

TEST(KeptAccounts, AreThoseThatWereWrittenLast) {
    const auto kept = std::make_unique<KeptAccounts>();
    EXPECT_TRUE(kept->kept().empty());
    kept->keep(ahead(3, 10));
    kept->keep(ahead(2, 20));
    ASSERT_EQ(kept->kept().size(), 2U);
    EXPECT_EQ(kept->kept()[1], (Ahead{.device = 1, .account = 2, .ns = 20}));
    kept->keep({});
    EXPECT_TRUE(kept->kept().empty());
}

// A server that ends in the middle of writing leaves the copy in force as it was.
TEST(KeptAccounts, TheCopyInForceIsNotWrittenTo) {
    const auto kept = std::make_unique<KeptAccounts>();
    kept->keep(ahead(3, 10));
    const std::span<const Ahead> in_force = kept->kept();
    KeptAccounts::Copy& next = kept->copies[(kept->written.load() + 1) % 2];
    next.count = KeptAccounts::kMost;
    next.accounts[0] = {.device = 9, .account = 9, .ns = 9};
    ASSERT_EQ(in_force.size(), 3U);
    EXPECT_EQ(in_force[0].ns, 10);
    EXPECT_EQ(kept->kept().data(), in_force.data());
}

TEST(KeptAccounts, WhatIsTooMuchBeginsAnew) {
    const auto kept = std::make_unique<KeptAccounts>();
    kept->keep(ahead(KeptAccounts::kMost + 5, 10));
    EXPECT_EQ(kept->kept().size(), KeptAccounts::kMost);
}

// Two programs with equal shares on one device.
std::vector<UnitState> two_programs(int64_t first_busy_ns, int64_t second_busy_ns) {
    std::vector<UnitState> units(2);
    for (size_t i = 0; i < 2; ++i) {
        UnitState& state = units[i];
        state.unit.id = state.unit.process = state.group = i + 1;
        state.unit.device = 1;
        state.unit.share = 50;
        state.unit.command_ns = kMillisecond;
        state.unit.ready_since_ns = kStart;
        state.unit.busy_ns = i == 0 ? first_busy_ns : second_busy_ns;
        state.ready = true;
        state.progress_ns = kStart;
    }
    return units;
}
sched::Core pup() { return sched::Core(policy::find_policy("PUP")->make(), {.claim_limit_ns = 0}); }
// Returns the unit that may run, of these two.
uint64_t runner(sched::Core& core, const std::vector<UnitState>& units, int64_t now_ns) {
    const sched::Plan plan = core.decide({.device = 1, .units = units}, now_ns);
    EXPECT_NE(plan.verdicts[0].suspend, plan.verdicts[1].suspend);
    return plan.verdicts[0].suspend ? 2 : 1;
}

TEST(KeptAccounts, TheNextServerGoesOnWithThem) {
    const auto kept = std::make_unique<KeptAccounts>();
    const uint64_t other = [&] {
        sched::Core before = pup();
        const uint64_t first = runner(before, two_programs(0, 0), kStart);
        // The unit that runs first has a command of 40 ms.
        const int64_t used_ns = 40 * kMillisecond;
        const auto later = first == 1 ? two_programs(used_ns, 0) : two_programs(0, used_ns);
        EXPECT_NE(runner(before, later, kStart + used_ns), first);
        kept->keep(before.accounts());
        return 3 - first;
    }();
    ASSERT_EQ(kept->kept().size(), 1U) << "one is ahead of the other";
    EXPECT_NEAR(static_cast<double>(kept->kept()[0].ns), 40e6, 1e6);
    EXPECT_EQ(kept->kept()[0].account, 3 - other);

    // A successor of the server takes over the accounts. It counts device time from what the programs' memory says
    // now: what they used while no server ran is charged to neither.
    sched::Core after = pup();
    after.take_over(kept->kept());
    const int64_t now_ns = kStart + 1000 * kMillisecond;
    int64_t busy_ns[2] = {500 * kMillisecond, 500 * kMillisecond};
    int64_t others_ns = 0;  // the first 40 ms belong to the one that had less
    for (int64_t at_ns = 0; at_ns < 80 * kMillisecond; at_ns += kMillisecond) {
        const uint64_t runs = runner(after, two_programs(busy_ns[0], busy_ns[1]), now_ns + at_ns);
        busy_ns[runs - 1] += kMillisecond;
        others_ns += runs == other && at_ns < 40 * kMillisecond ? kMillisecond : 0;
    }
    EXPECT_GE(others_ns, 35 * kMillisecond);
    EXPECT_LE(busy_ns[other - 1] - 500 * kMillisecond, 75 * kMillisecond) << "then both take turns";
}

}  // namespace
}  // namespace xsched::server
