// The relations between the units of one device, and the unit that leads.
#include "sched/state/rivals.h"

#include <gtest/gtest.h>

#include <array>

#include "policy/policy.h"
#include "sched/given_units.h"
#include "xsched/types.h"

namespace xsched::sched {
namespace {

using namespace testing;

class Leads : public ::testing::Test {
protected:
    // Returns for each unit whether it leads the device (Rivals::leads). Given are the units' priorities, and whether
    // each has worked lately. Each unit is a process of its own.
    std::vector<bool> of(const std::vector<int32_t>& urgency, const std::vector<bool>& lately) {
        std::vector<UnitState> units;
        std::vector<Usage> usages(urgency.size());
        for (size_t at = 0; at < urgency.size(); ++at) {
            units.push_back(Given{.id = at + 1, .priority = urgency[at]});
            usages[at].lately = lately[at];
        }
        Rivals rivals;
        rivals.sum_up(units, urgency, usages);
        std::vector<bool> leads;
        for (size_t at = 0; at < urgency.size(); ++at) leads.push_back(rivals.leads(at, units[at]));
        return leads;
    }
};

TEST_F(Leads, TheMostUrgentAlone) {
    EXPECT_EQ(of({2, 1, 0}, {true, true, true}), (std::vector{true, false, false}));
    EXPECT_EQ(of({2, 2, 0}, {true, true, true}), (std::vector{false, false, false}));
    EXPECT_EQ(of({2}, {true}), (std::vector{false})) << "nobody else is there";
}

TEST_F(Leads, EqualsThatHaveNotWorkedForLongDoNotCount) {
    EXPECT_EQ(of({2, 2, 0}, {true, false, true}), (std::vector{true, false, false}));
    EXPECT_EQ(of({2, 2, 0}, {false, false, true}), (std::vector{true, true, false})) << "who begins first does";
}

// The most urgent unit leads before it has ever worked, so that its first burst is treated like its later ones.
TEST_F(Leads, WhoIsMoreUrgentDoesWhateverItHasDone) {
    EXPECT_EQ(of({2, 1, 0}, {false, true, true}), (std::vector{true, false, false}));
}

// Returns the facts for a victim with two equals above it, the second of which pauses.
Victim below(bool first_lately, bool second_lately) {
    const std::vector<UnitState> units{Given{.id = 1, .priority = 1}, Given{.id = 2, .priority = 1}, Given{.id = 3}};
    const std::vector<int32_t> urgency{1, 1, 0};
    std::vector<Usage> usages(3);
    usages[0] = {.lately = first_lately};
    usages[1] = {.returns = {.pauses = 1000}, .lately = second_lately};
    Rivals rivals;
    rivals.sum_up(units, urgency, usages);
    Victim victim;
    rivals.look(2, units[2], usages[2], victim);
    return victim;
}

TEST(Rivals, HowOneUsesTheDeviceCountsOnlyIfItHasWorkedLatelyOrNobodyHas) {
    EXPECT_EQ(below(true, false).returns.pauses, 0);
    EXPECT_EQ(below(true, true).returns.pauses, 1000);
    EXPECT_EQ(below(false, true).returns.pauses, 1000);
    EXPECT_EQ(below(false, false).returns.pauses, 1000) << "either may begin";
    EXPECT_TRUE(below(false, false).has_rival);
}

// A rival without level 3 shares the victim's context.
TEST(Rivals, ThoseWithLevelThreeAreOutsideOfTheVictimsContext) {
    const std::vector<int32_t> urgency{2, 1, 0};
    for (const uint32_t level : {kPreemptLevelDeactivate, kPreemptLevelInterrupt}) {
        const std::vector<UnitState> units{Given{.id = 1, .level = level}, Given{.id = 2, .level = 2}, Given{.id = 3}};
        Rivals rivals;
        rivals.sum_up(units, urgency, std::vector<Usage>(3));
        Victim lowest;
        rivals.look(2, units[2], {}, lowest);
        EXPECT_EQ(lowest.has_outside_rival, level == kPreemptLevelInterrupt);
    }
}

// Returns what a pool's program knows of the equal with this level, which takes turns, or of one that takes none.
Victim beside_equal(uint32_t level, InTurns in_turns) {
    const std::vector<UnitState> units{Given{.id = 1, .level = 2, .costs = kGpu},
                                       Given{.id = 2, .level = level, .costs = kGpu}, Given{.id = 3, .level = 3}};
    const std::vector<Usage> usages{{.in_turns = InTurns::kTakes}, {.lately = true, .in_turns = in_turns}, {}};
    Rivals rivals;
    rivals.sum_up(units, std::vector<int32_t>{0, 0, 1}, usages);
    Victim victim;
    rivals.look(0, units[0], usages[0], victim);
    return victim;
}

TEST(Rivals, AnEqualWithoutTurnsOutsideOfTheContextIsAnOutsidePeer) {
    EXPECT_TRUE(beside_equal(kPreemptLevelInterrupt, InTurns::kPrevents).has_outside_peer);
    EXPECT_FALSE(beside_equal(kPreemptLevelInterrupt, InTurns::kTakes).has_outside_peer);
    EXPECT_FALSE(beside_equal(kPreemptLevelDeactivate, InTurns::kPrevents).has_outside_peer) << "it is in the pool";
    for (const InTurns in_turns : {InTurns::kPrevents, InTurns::kTakes})
        EXPECT_TRUE(beside_equal(kPreemptLevelInterrupt, in_turns).has_peer)
            << "the pool has no turn of its own program";
}

TEST(Rivals, OfSeveralEachNumberIsThatOfTheWorst) {
    const std::vector<UnitState> units{Given{.id = 1, .priority = 2}, Given{.id = 2, .priority = 1}, Given{.id = 3}};
    const std::vector<int32_t> urgency{2, 1, 0};
    std::vector<Usage> usages(3);
    usages[0].returns = {.pauses = 100, .unbridged = 50, .before_call = 0, .slice_ends = 1000};
    usages[1].returns = {.pauses = 400, .unbridged = 20, .before_call = 30, .slice_ends = 0};
    usages[2].returns = {.pauses = 4000, .unbridged = 4000};
    Rivals rivals;
    rivals.sum_up(units, urgency, usages);
    Victim lowest;
    rivals.look(2, units[2], usages[2], lowest);
    EXPECT_EQ(lowest.returns, (Returns{.pauses = 400, .unbridged = 50, .before_call = 30, .slice_ends = 1000}));
    Victim middle;
    rivals.look(1, units[1], usages[1], middle);
    EXPECT_EQ(middle.returns, usages[0].returns);
}

// Returns Victim::copies of a unit with this usage. `missing`: pauses of the more urgent unit that must be seen yet.
// `among_peers`: there is a third unit, of the victim's priority.
bool copies(const Usage& usage, int64_t missing, bool among_peers) {
    std::vector<UnitState> units{Given{.id = 1, .priority = 1}, Given{.id = 2}};
    std::vector<int32_t> urgency{1, 0};
    std::vector<Usage> usages{{.missing = missing}, usage};
    if (among_peers) {
        units.push_back(Given{.id = 3});
        urgency.push_back(0);
        usages.emplace_back();
    }
    Rivals rivals;
    rivals.sum_up(units, urgency, usages);
    Victim victim;
    rivals.look(1, units[1], usages[1], victim);
    return victim.copies;
}

TEST(Rivals, OneThatCopiesIsToldApartAmongPeersAndIfItDoesNothingElseBelowOneOfWhichLittleIsKnown) {
    const Usage mostly{.in_turns = InTurns::kBeside};
    const Usage only{.in_turns = InTurns::kBeside, .only_copies = true};
    EXPECT_TRUE(copies(mostly, 0, true));
    EXPECT_TRUE(copies(only, 1, false));
    EXPECT_FALSE(copies(only, 0, false));
    EXPECT_FALSE(copies(mostly, 1, false));
    EXPECT_FALSE(copies({.in_turns = InTurns::kTakes}, 1, true));
}

// Three units: one with bursts of 3 ms, for which the driver's own timeslice is too short, another one of the same
// priority, and a victim of lower priority.
class BesideAnEqual : public ::testing::Test {
protected:
    void SetUp() override {
        for (size_t at = 0; at < units_.size(); ++at) {
            units_[at] = Given{.id = at + 1, .priority = at < 2 ? 1 : 0, .level = kPreemptLevelInterrupt};
            units_[at].costs = kGpu;
        }
        units_[2].ready = true;
        decide(true);
    }
    void begin(uint32_t at) {
        units_[at].ready = true;
        units_[at].unit.ready_since_ns = now_ns_;
        decide(false, at);
    }
    void end(uint32_t at) {
        units_[at].ready = false;
        units_[at].idle_since_ns = units_[at].progress_ns = now_ns_;
        ++units_[at].completed;
        decide(false, at);
    }
    void works(int64_t for_ns) {
        for (const int64_t end_ns = now_ns_ + for_ns; now_ns_ < end_ns; now_ns_ += 10 * kMs) {
            begin(0);
            now_ns_ += 3 * kMs;
            end(0);
        }
    }
    void decide(bool all, uint32_t changed = 0) {
        const std::array one{changed};
        core_.decide({.device = 1, .units = units_, .composition = 1, .all = all, .changed = one}, now_ns_);
        plan_ = core_.decide({.device = 1, .units = units_, .composition = 1, .all = false}, now_ns_);
    }
    uint32_t timeslice_us() const { return plan_.verdicts[0].preemption.timeslice_us; }

    std::array<UnitState, 3> units_;
    int64_t now_ns_ = kStart;
    Core core_{policy::find_policy("HPF")->make(), kBelieving};
    Plan plan_;
};

TEST_F(BesideAnEqual, ThatHasDoneNothingItHasALongTimeslice) {
    works(kSecond);
    EXPECT_EQ(timeslice_us(), 4096U);
}

TEST_F(BesideAnEqual, ThatWorksItHasTheDriversOwn) {
    works(kSecond);
    begin(1);
    EXPECT_EQ(timeslice_us(), 0U);
    end(1);
    works(Settings{}.claim_limit_ns - 100 * kMs);
    EXPECT_EQ(timeslice_us(), 0U);
    works(200 * kMs);
    EXPECT_EQ(timeslice_us(), 4096U) << "nobody said that it still does nothing";
}

}  // namespace
}  // namespace xsched::sched
