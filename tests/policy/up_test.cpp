#include <gtest/gtest.h>

#include <vector>

#include "policy/policy.h"

namespace xsched::policy::up_test {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kSecond = 1000 * kMs;

// A simulated device on which each command runs to its end, even if the policy decides otherwise meanwhile.
class Shares : public ::testing::Test {
protected:
    // Returns each unit's part of the time, in percent.
    // `look_ns`: how often it is asked beside the ends of turns; 0: never.
    std::vector<double> run(std::vector<Unit> units, int64_t for_ns, int64_t command_ns, int64_t look_ns = 0) {
        std::vector<int64_t> used(units.size());
        const int64_t end = now_ + for_ns;
        int64_t again = now_;
        while (now_ < end) {
            if (now_ >= again) {
                choices_.assign(units.size(), Choice{});
                const int64_t next = policy_->choose(units, now_, choices_);
                again = next != 0 ? next : end;
            }
            for (int64_t at = now_; look_ns != 0 && at < std::min(now_ + command_ns, again); at += look_ns) {
                std::vector<Choice> same(units.size());
                policy_->choose(units, at, same);  // nothing of the command is known yet
            }
            bool any = false;
            for (size_t i = 0; i < units.size(); ++i) {
                if (!choices_[i].run || !units[i].wants) continue;
                units[i].busy_ns += command_ns;
                used[i] += command_ns;
                now_ += command_ns;
                any = true;
            }
            if (!any) now_ = again;
        }
        std::vector<double> parts;
        for (const int64_t each : used)
            parts.push_back(100.0 * static_cast<double>(each) / static_cast<double>(for_ns));
        return parts;
    }
    static Unit unit(uint64_t id, int32_t utilization, bool wants = true) {
        Unit made{.id = id, .device = 7, .wants = wants};
        made.utilization = utilization;
        return made;
    }

    std::unique_ptr<Policy> policy_ = find_policy("UP")->make();
    std::vector<Choice> choices_;
    int64_t wake_ns_ = 0;
    int64_t now_ = kSecond;
};

// A program reports its own use, so it may lie. The other program has its turns whatever the report says.
TEST_F(Shares, WhoeverReportsAbsurdTimesGetsNoMore) {
    for (const char* name : {"UP", "CFS", "PUP", "AUTO"})
        for (const int64_t absurd_ns : {INT64_MAX / 1024, INT64_MAX / 100, INT64_MAX / 60, INT64_MAX / 3, INT64_MAX}) {
            policy_ = find_policy(name)->make();
            std::vector<Unit> units{unit(1, 1), unit(2, 1)};
            units[0].process = 1;
            units[1].process = 2;
            int honest = 0;
            constexpr int kLooks = 20'000;
            for (int look = 0; look < kLooks; ++look, now_ += kMs) {
                units[0].busy_ns = look % 2 == 0 ? 0 : absurd_ns;
                choices_.assign(units.size(), Choice{});
                policy_->choose(units, now_, choices_);
                honest += choices_[1].run ? 1 : 0;
                if (choices_[1].run) units[1].busy_ns += kMs;
            }
            EXPECT_GT(honest, kLooks * 4 / 10) << name << " " << absurd_ns;
        }
}

TEST_F(Shares, TwoBusyUnitsGetWhatTheirUtilizationSays) {
    for (const int64_t command_ns : {kMs / 10, kMs, 4 * kMs}) {
        const auto parts = run({unit(1, 75), unit(2, 25)}, 10 * kSecond, command_ns);
        EXPECT_NEAR(parts[0], 75, 1) << command_ns;
        EXPECT_NEAR(parts[1], 25, 1) << command_ns;
    }
}

TEST_F(Shares, HowOftenItIsAskedMakesNoDifference) {
    for (const int64_t command_ns : {kMs, 4 * kMs}) {
        const auto parts = run({unit(1, 75), unit(2, 25)}, 10 * kSecond, command_ns, kMs / 10);
        EXPECT_NEAR(parts[0], 75, 1) << command_ns;
    }
}

TEST_F(Shares, ThreeUnitsAndEqualOnesByDefault) {
    const auto parts = run({unit(1, 50), unit(2, 30), unit(3, 20)}, 10 * kSecond, kMs / 2);
    EXPECT_NEAR(parts[0], 50, 1);
    EXPECT_NEAR(parts[1], 30, 1);
    EXPECT_NEAR(parts[2], 20, 1);
    const auto equal = run({unit(4, 100), unit(5, 100)}, 10 * kSecond, kMs);
    EXPECT_NEAR(equal[0], 50, 1);
}

// Two streams of one program, with different priorities and running side by side, share the program's part with each
// other.
TEST_F(Shares, AProgramsStreamsShareAsOne) {
    for (const bool both_want : {true, false}) {
        std::vector<Unit> units{unit(1, 100), unit(2, 100, both_want), unit(3, 100)};
        units[0].process = units[1].process = 10;
        units[2].process = 20;
        int64_t first_ns = 0;
        int64_t second_ns = 0;
        for (const int64_t end = now_ + 4 * kSecond; now_ < end; now_ += kMs / 2) {
            choices_.assign(3, Choice{});
            policy_->choose(units, now_, choices_);
            EXPECT_EQ(choices_[0].run, choices_[1].run);
            EXPECT_NE(choices_[0].run, choices_[2].run);
            for (size_t i = 0; i < 3; ++i)
                if (choices_[i].run && units[i].wants) units[i].busy_ns += kMs / 2;
            (choices_[0].run ? first_ns : second_ns) += kMs / 2;
        }
        EXPECT_NEAR(static_cast<double>(first_ns) / static_cast<double>(second_ns), 1, 0.02) << both_want;
    }
}

TEST_F(Shares, OfAProgramsSharesTheLargestCounts) {
    std::vector<Unit> units{unit(1, 25), unit(2, 75, false), unit(3, 25)};
    units[0].process = units[1].process = 10;
    units[2].process = 20;
    EXPECT_NEAR(run(units, 10 * kSecond, kMs)[0], 75, 1);
}

TEST_F(Shares, OneMakesRoomForWhomeverOfTheOtherProgramWantsTheDevice) {
    std::vector<Unit> units{unit(1, 100, false), unit(2, 100), unit(3, 100, false)};
    units[0].process = units[1].process = 10;
    units[2].process = 20;
    choices_.assign(3, Choice{});
    policy_->choose(units, now_, choices_);
    EXPECT_TRUE(choices_[0].run);
    EXPECT_FALSE(choices_[2].run);
    EXPECT_EQ(choices_[2].by, 2u);
}

TEST_F(Shares, AProgramAloneSharesAmongItsUnits) {
    std::vector<Unit> units{unit(1, 75), unit(2, 25)};
    units[0].process = units[1].process = 10;
    const auto parts = run(units, 10 * kSecond, kMs);
    EXPECT_NEAR(parts[0], 75, 1);
    EXPECT_NEAR(parts[1], 25, 1);
}

TEST_F(Shares, OneRunsAtATimeAndTheOthersMakeRoomForIt) {
    const std::vector<Unit> units{unit(1, 75), unit(2, 25), unit(3, 25)};
    choices_.assign(3, Choice{});
    EXPECT_EQ(policy_->choose(units, now_, choices_), now_ + 5 * kMs * 3 * 75 / 125);
    EXPECT_TRUE(choices_[0].run);
    for (const size_t i : {1, 2}) {
        EXPECT_FALSE(choices_[i].run);
        EXPECT_EQ(choices_[i].by, 1U);
    }
}

TEST_F(Shares, AloneAUnitGetsEverythingWithoutAnEnd) {
    choices_.assign(2, Choice{});
    EXPECT_EQ(policy_->choose(std::vector<Unit>{unit(1, 10), unit(2, 90, false)}, now_, choices_), 0);
    EXPECT_TRUE(choices_[0].run);
    EXPECT_NEAR(run({unit(1, 10), unit(2, 90, false)}, kSecond, kMs)[0], 100, 1);
}

TEST_F(Shares, ATurnOutlastsAMomentsPauseAndALongerOneIsLent) {
    const auto runs = [this](bool first_wants, int64_t at_ns) {
        choices_.assign(2, Choice{});
        wake_ns_ = policy_->choose(std::vector<Unit>{unit(1, 50, first_wants), unit(2, 50)}, at_ns, choices_);
        EXPECT_NE(choices_[0].run, choices_[1].run);
        return choices_[0].run ? 1 : 2;
    };
    ASSERT_EQ(runs(true, now_), 1);
    EXPECT_EQ(wake_ns_, now_ + 5 * kMs);
    EXPECT_EQ(runs(false, now_ + kMs), 1);
    EXPECT_EQ(wake_ns_, now_ + kMs + kMs * 3 / 10);
    EXPECT_EQ(runs(true, now_ + kMs + kMs / 10), 1) << "it goes on";
    EXPECT_EQ(runs(false, now_ + 2 * kMs), 1);
    EXPECT_EQ(runs(false, wake_ns_), 2);
    EXPECT_EQ(runs(true, now_ + 3 * kMs), 1) << "it takes the rest of its turn";
    EXPECT_EQ(wake_ns_, now_ + 3 * kMs + (5 * kMs - 2 * kMs - kMs * 3 / 10));
    EXPECT_EQ(runs(true, wake_ns_), 2);
    EXPECT_EQ(runs(false, now_ + 7 * kMs), 2);
    EXPECT_EQ(runs(true, now_ + 8 * kMs), 2) << "its own turn is not borrowed";
}

TEST_F(Shares, ALenderThatStaysAwayForTheBorrowersTurnHasLentItForGood) {
    const auto runs = [this](bool first_wants, int64_t at_ns) {
        choices_.assign(2, Choice{});
        wake_ns_ = policy_->choose(std::vector<Unit>{unit(1, 50, first_wants), unit(2, 50)}, at_ns, choices_);
        return choices_[0].run ? 1 : 2;
    };
    ASSERT_EQ(runs(true, now_), 1);
    runs(false, now_ + kMs);
    ASSERT_EQ(runs(false, now_ + 2 * kMs), 2);
    ASSERT_EQ(runs(false, now_ + 50 * kMs), 2);
    EXPECT_EQ(runs(true, now_ + 51 * kMs), 2);
}

// Programs that launch more slowly than the device works, so that each launch finds the device idle, still get their
// shares.
TEST_F(Shares, ThoseThatPauseAfterEachCommandGetTheirSharesToo) {
    constexpr int64_t kCommandNs = 20'000, kGapNs = 30'000;
    std::vector<Unit> units{unit(1, 75), unit(2, 25)};
    std::vector<int64_t> back_ns(2, now_);  // when it has something to do again
    int64_t used[2] = {};
    const int64_t end = now_ + 2 * kSecond;
    while (now_ < end) {
        for (size_t i = 0; i < 2; ++i) units[i].wants = now_ >= back_ns[i];
        choices_.assign(2, Choice{});
        policy_->choose(units, now_, choices_);
        bool ran = false;
        for (size_t i = 0; i < 2 && !ran; ++i) {
            if (!units[i].wants || !choices_[i].run) continue;
            ran = true;
            now_ += kCommandNs;
            used[i] += kCommandNs;
            units[i].busy_ns += kCommandNs;
            back_ns[i] = now_ + kGapNs;
        }
        if (!ran) now_ += 10'000;
    }
    EXPECT_NEAR(100.0 * static_cast<double>(used[0]) / static_cast<double>(used[0] + used[1]), 75, 3);
}

TEST_F(Shares, TimeThatAUnitDidNotAskForIsNotSavedUp) {
    run({unit(1, 50), unit(2, 50, false)}, 10 * kSecond, kMs);
    const auto parts = run({unit(1, 50), unit(2, 50)}, kSecond, kMs);
    EXPECT_NEAR(parts[0], 50, 3);
}

// A program that is sometimes without work for a few milliseconds, since its host is held up, but could use more than
// its share in between. It must get back what it missed.
TEST_F(Shares, WhatAUnitMissesInAMomentsAbsenceItGetsBack) {
    constexpr int64_t kCommandNs = kMs / 5;
    constexpr int64_t kAwayNs = 4 * kMs;
    std::vector<Unit> units{unit(1, 75), unit(2, 25)};
    int64_t back_ns = now_;
    int64_t used[2] = {};
    const int64_t end = now_ + 5 * kSecond;
    while (now_ < end) {
        units[0].wants = now_ >= back_ns;
        choices_.assign(2, Choice{});
        policy_->choose(units, now_, choices_);
        for (size_t i = 0; i < 2; ++i) {
            if (!units[i].wants || !choices_[i].run) continue;
            used[i] += kCommandNs;
            units[i].busy_ns += kCommandNs;
            if (i == 0 && used[0] % (20 * kMs) == 0) back_ns = now_ + kCommandNs + kAwayNs;
        }
        now_ += kCommandNs;
    }
    EXPECT_NEAR(100.0 * static_cast<double>(used[0]) / static_cast<double>(used[0] + used[1]), 75, 2);
}

// The first unit reports no device time: either the time is not known, or the unit leaves the device idle.
TEST_F(Shares, AUnitOfWhichNothingIsKnownPaysForItsTurns) {
    std::vector<Unit> units{unit(1, 50), unit(2, 50)};
    int64_t turns[2] = {};
    for (int64_t next = 0; now_ < 3 * kSecond; now_ = next) {
        choices_.assign(2, Choice{});
        next = policy_->choose(units, now_, choices_);
        turns[choices_[0].run ? 0 : 1] += next - now_;
        if (choices_[1].run) units[1].busy_ns += next - now_;
    }
    EXPECT_NEAR(static_cast<double>(turns[0]) / static_cast<double>(turns[1]), 2, 0.2);
}

TEST_F(Shares, DevicesDoNotDisturbEachOther) {
    Unit elsewhere = unit(3, 50);
    elsewhere.device = 8;
    choices_.assign(1, Choice{});
    policy_->choose(std::vector<Unit>{elsewhere}, now_, choices_);
    EXPECT_TRUE(choices_[0].run);
    const auto parts = run({unit(1, 75), unit(2, 25)}, 5 * kSecond, kMs);
    EXPECT_NEAR(parts[0], 75, 1);
}

TEST_F(Shares, AnyOfSeveralCanBeSuspended) {
    const std::vector<Unit> units{unit(1, 75), unit(2, 25)};
    std::vector<uint8_t> marks(2, 0);
    policy_->mark_preemptible(units, marks);
    EXPECT_EQ(marks, (std::vector<uint8_t>{1, 1}));
    marks.assign(1, 0);
    policy_->mark_preemptible(std::span(units).first(1), marks);
    EXPECT_EQ(marks[0], 0);
}

}  // namespace
}  // namespace xsched::policy::up_test
