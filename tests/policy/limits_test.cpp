// A limit means the same under every policy, alone and beside others.
#include "policy/limits.h"

#include <gtest/gtest.h>

#include "policy/virtual_device.h"

namespace xsched::policy::limits_test {
namespace {

using namespace testing;

constexpr int32_t kPercents[] = {5, 20, 50, 80};
constexpr double kPoints = 2;

Job busy(int32_t limit, int64_t command_ns = kMs) {
    Job job{.command_ns = command_ns};
    job.unit.limit = limit;
    return job;
}

// Demands that the job has this part of the device in every second that begins at a tenth of a second, from `since`
// tenths on.
void expect_in_any_second(const VirtualDevice& device, size_t job, double part, size_t since = 0) {
    for (size_t from = since; from + 10 <= device.marks(); ++from)
        ASSERT_NEAR(device.part(job, from, from + 10), part, kPoints) << "from " << from << " tenths";
}

class EveryPolicy : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryPolicy, WhoIsAloneHasItsLimit) {
    for (const int32_t percent : kPercents)
        for (const int64_t command_ns : {100 * kUs, kMs, 7 * kMs}) {
            SCOPED_TRACE(std::to_string(percent) + " %, commands of " + std::to_string(command_ns / kUs) + " us");
            VirtualDevice device(GetParam(), {busy(percent, command_ns)});
            device.run(6 * kSecond);
            EXPECT_NEAR(device.part(0, 10, 60), percent, 0.5);
            expect_in_any_second(device, 0, percent);
        }
}

TEST_P(EveryPolicy, BesideOthersItHasNoMore) {
    for (const int32_t percent : kPercents) {
        SCOPED_TRACE(percent);
        VirtualDevice device(GetParam(), {busy(percent), busy(0), busy(0)});
        device.job(0).unit.priority = 1;
        device.run(6 * kSecond);
        for (size_t from = 0; from + 10 <= device.marks(); ++from)
            ASSERT_LE(device.part(0, from, from + 10), percent + kPoints) << "from " << from << " tenths";
        double all = 0;
        for (size_t i = 0; i < 3; ++i) all += device.part(i, 10, 60);
        EXPECT_GT(all, 98) << "what it leaves is the others'";
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy,
                         ::testing::Values("HPF", "PUP", "UP", "CFS", "AWF", "KEDF", "LAX", "MLFQ"),
                         [](const auto& one) { return std::string(one.param); });

// Kernels of 30 us, of which the progress is told every few milliseconds, while decisions come more often.
TEST(Limits, HoldsForUseThatIsReportedSeldom) {
    for (const int64_t report_ns : {kMs, 5 * kMs, 10 * kMs}) {
        Limits limits;
        std::vector<Unit> units(1);
        units[0] = busy(30, 30 * kUs).unit;
        units[0].id = units[0].process = units[0].device = 1;
        units[0].command_ns = 30 * kUs;
        units[0].wants = units[0].ready = true;
        std::vector<Choice> choices(1);
        int64_t used_ns = 0;
        constexpr int64_t kStep = 100 * kUs;
        for (int64_t now = kSecond; now < 4 * kSecond; now += kStep) {
            if (now % report_ns == 0) units[0].busy_ns = used_ns;
            limits.begin_asking(units, now);
            choices[0] = {};
            limits.end_asking(units, choices);
            if (choices[0].run) used_ns += kStep;
        }
        EXPECT_NEAR(static_cast<double>(used_ns) / (3 * kSecond) * 100, 30, 3) << report_ns / kUs << " us";
    }
}

TEST(Limits, TheMostUrgentHasItsLimitAndNothingIsLost) {
    VirtualDevice device("HPF", {busy(30), busy(0)});
    device.job(0).unit.priority = 1;
    device.run(6 * kSecond);
    expect_in_any_second(device, 0, 30);
    EXPECT_NEAR(device.part(0, 10, 60) + device.part(1, 10, 60), 100, 0.1);
}

TEST(Limits, AreKeptTogetherByThoseOfOneAccount) {
    VirtualDevice device("HPF", {busy(40), busy(40), busy(0)});
    for (size_t i = 0; i < 2; ++i) device.job(i).unit.account = 7;
    device.run(6 * kSecond);
    // This device reports exact times. Of those a part of a command is not counted where one begins out of turn.
    EXPECT_NEAR(device.part(0, 10, 60) + device.part(1, 10, 60), 40, 3);
}

// A program keeps its own limit, and all programs of the account together keep theirs.
TEST(Limits, AProgramsOwnCountsBesideThatOfItsAccount) {
    VirtualDevice device("HPF", {busy(60), busy(60), busy(0)});
    for (size_t i = 0; i < 2; ++i) device.job(i).unit.account = 7;
    device.job(0).unit.process_limit = 20;
    device.job(0).unit.priority = 1;
    device.run(6 * kSecond);
    EXPECT_NEAR(device.part(0, 10, 60), 20, 1);
    EXPECT_NEAR(device.part(0, 10, 60) + device.part(1, 10, 60), 60, 1);
    VirtualDevice alone("PUP", {busy(60)});
    alone.job(0).unit.account = 7;
    alone.job(0).unit.process_limit = 20;
    alone.run(3 * kSecond);
    EXPECT_NEAR(alone.part(0, 10, 30), 20, 1);
    EXPECT_TRUE(alone.device_idle_with_work()) << "the rest stays idle";
}

TEST(Limits, WhoHasHadItsOwnIsToldSo) {
    VirtualDevice device("HPF", {busy(1)});
    device.run(kSecond);
    ASSERT_FALSE(device.choices()[0].run);
    EXPECT_EQ(device.choices()[0].why, Why::kLimited);
    EXPECT_EQ(device.choices()[0].by, 0U);
}

TEST(Limits, OnlyWhatIsUsedCounts) {
    Job bursts = busy(50);
    bursts.commands = 1;
    bursts.gap_ns = 3 * kMs;  // a quarter of the time
    VirtualDevice device("HPF", {bursts});
    device.run(3 * kSecond);
    EXPECT_NEAR(device.part(0, 0, 30), 25, 1);
    EXPECT_EQ(device.stood_ns(), 0);
}

TEST(Limits, OneLongCommandIsPaidFor) {
    VirtualDevice device("HPF", {busy(20, 600 * kMs)});
    device.run(12 * kSecond);
    EXPECT_NEAR(device.part(0, 0, 120), 20, 5);
}

// A device whose one unit always has work, and uses it whenever it may.
class LimitedDevice {
public:
    explicit LimitedDevice(int32_t limit) {
        unit_.id = unit_.process = 1;
        unit_.wants = unit_.ready = true;
        unit_.limit = limit;
    }
    bool runs(int64_t at_ns, int64_t passed_ns) {
        if (ran_) unit_.busy_ns += passed_ns;
        std::vector<Unit> units{unit_};
        std::vector<Choice> choices{{.run = true}};
        limits_.begin_asking(units, at_ns);
        limits_.end_asking(units, choices);
        return ran_ = choices[0].run;
    }

private:
    Limits limits_;
    Unit unit_;
    bool ran_ = false;
};

// Two programs with limits that wait for each other, like the ranks of a collective operation: the kernel of each
// stays on its device until both run. So both must have their device at the same time.
TEST(Limits, ProgramsThatWaitForEachOtherRunAtTheSameTime) {
    constexpr int64_t kStepNs = 100 * kUs;
    for (const auto& [first, second] : {std::pair{50, 50}, {20, 20}, {5, 5}, {80, 80}, {50, 20}})
        for (int64_t later_ns = 0; later_ns < 200 * kMs; later_ns += 7 * kMs) {
            SCOPED_TRACE(std::to_string(first) + " and " + std::to_string(second) + " percent, " +
                         std::to_string(later_ns / kMs) + " ms later");
            LimitedDevice one(first), other(second);
            int64_t both_ns = 0;
            for (int64_t at = kSecond; at < 9 * kSecond; at += kStepNs) {
                const bool runs = one.runs(at, kStepNs);
                const bool other_runs = at >= kSecond + later_ns && other.runs(at, kStepNs);
                if (runs && other_runs && at >= 5 * kSecond) both_ns += kStepNs;
            }
            EXPECT_GE(both_ns * 100 / (4 * kSecond), std::min(first, second) * 8 / 10);
        }
}

// One unit with a limit beside another, given by hand.
class LimitsByHand : public ::testing::Test {
protected:
    LimitsByHand() {
        unit_.id = unit_.process = 1;
        unit_.wants = unit_.ready = true;
        unit_.limit = 10;
    }
    bool runs(int64_t at_ns, int64_t used_ns, bool here = true) {
        unit_.busy_ns += used_ns;
        Unit other = unit_;
        other.id = other.process = 2;
        other.limit = 0;
        other.busy_ns = other_busy_ns_;
        other.wants = other_wants_;
        std::vector<Unit> units{other};
        if (here) units.push_back(unit_);
        std::vector<Choice> choices(units.size());
        again_ns_ = limits_.begin_asking(units, at_ns);
        limits_.end_asking(units, choices);
        EXPECT_EQ(units.back().wants, here || other_wants_) << "what units want is as it was";
        EXPECT_TRUE(choices.front().run);
        return choices.back().run;
    }

    Limits limits_;
    Unit unit_;
    int64_t other_busy_ns_ = 0;
    bool other_wants_ = true;
    int64_t again_ns_ = 0;
};

TEST_F(LimitsByHand, WhatWasHadBeforeThereWasOneDoesNotCount) {
    EXPECT_TRUE(runs(kSecond, 0));
    EXPECT_TRUE(runs(kSecond + 5 * kMs, kSecond)) << "as when nobody else was there";
    EXPECT_FALSE(runs(kSecond + 50 * kMs, 45 * kMs));
}

// Time that two units of a limit use side by side counts once, although each reports that it had the device all the
// time.
TEST_F(LimitsByHand, WhatIsUsedSideBySideCountsOnce) {
    unit_.command_ns = kMs;
    for (const int32_t limit : {40, 60}) {
        limits_ = {};
        unit_.limit = limit;
        int64_t ran_ns = 0;
        for (int64_t at_ns = kSecond; at_ns < 3 * kSecond; at_ns += kMs) {
            const bool ran = runs(at_ns, 0);
            ran_ns += ran ? kMs / 2 : 0;
            other_busy_ns_ += kMs;
            unit_.busy_ns += ran ? kMs : 0;
        }
        EXPECT_NEAR(static_cast<double>(ran_ns) / (2 * kSecond), std::min(limit, 50) / 100.0, 0.02) << limit;
    }
}

// Two programs with the same limit work in the same time, side by side: each has all of its limit.
TEST(Limits, TwoThatWorkSideBySideHaveTheirLimits) {
    for (const int32_t limit : {10, 30, 45}) {
        Limits limits;
        std::vector<Unit> units(2);
        for (size_t i = 0; i < 2; ++i) {
            units[i].id = units[i].process = i + 1;
            units[i].wants = units[i].ready = true;
            units[i].command_ns = 2 * kMs;
            units[i].limit = limit;
        }
        std::vector<Choice> choices(2);
        int64_t had_ns = 0;
        constexpr int64_t kStep = 100 * kUs;
        for (int64_t now = kSecond; now < 5 * kSecond; now += kStep) {
            limits.begin_asking(units, now);
            choices.assign(2, Choice{});
            limits.end_asking(units, choices);
            for (Unit& unit : units) unit.busy_ns += choices[0].run ? kStep : 0;
            had_ns += choices[0].run ? kStep / 2 : 0;
            ASSERT_EQ(choices[0].run, choices[1].run);
        }
        EXPECT_NEAR(static_cast<double>(had_ns) / (4 * kSecond) * 100, limit, 3) << limit;
    }
}

// Two programs of one account use the device side by side, each for half of the time, while the account's limit does
// not stop both, and one has a limit of its own. Times in which both are stopped do not count as used later.
TEST(Limits, ATimeInWhichAllAreStoppedIsNotUsedLater) {
    Limits limits;
    std::vector<Unit> units(2);
    for (size_t i = 0; i < 2; ++i) {
        units[i].id = units[i].process = i + 1;
        units[i].account = 7;
        units[i].wants = units[i].ready = true;
        units[i].command_ns = 30 * kUs;
        units[i].limit = 60;
    }
    units[0].process_limit = 20;
    std::vector<Choice> choices(2);
    int64_t had_ns[2] = {0, 0};
    constexpr int64_t kStep = 100 * kUs;
    for (int64_t now = kSecond; now < 5 * kSecond; now += kStep) {
        limits.begin_asking(units, now);
        choices.assign(2, Choice{});
        limits.end_asking(units, choices);
        const int running = (choices[0].run ? 1 : 0) + (choices[1].run ? 1 : 0);
        for (size_t i = 0; i < 2; ++i) {
            if (!choices[i].run) continue;
            units[i].busy_ns += kStep;  // each reports that it had the device all the time
            had_ns[i] += kStep / running;
        }
    }
    EXPECT_NEAR(static_cast<double>(had_ns[0]) / (4 * kSecond) * 100, 20, 2);
    EXPECT_NEAR(static_cast<double>(had_ns[1]) / (4 * kSecond) * 100, 40, 3);
}

TEST_F(LimitsByHand, WhoComesBackStillOwes) {
    other_wants_ = false;
    EXPECT_TRUE(runs(kSecond, 0));
    EXPECT_FALSE(runs(kSecond + 110 * kMs, 110 * kMs));  // 89 ms too much
    runs(kSecond + 120 * kMs, 0, false);
    unit_.busy_ns = 0;  // a new one of the same account
    EXPECT_FALSE(runs(kSecond + 130 * kMs, 0));
    EXPECT_FALSE(runs(kSecond + 1000 * kMs, 0));
    EXPECT_TRUE(runs(kSecond + 1100 * kMs, 0));
}

TEST_F(LimitsByHand, SaysWhenToAskAgain) {
    other_wants_ = false;
    EXPECT_TRUE(runs(kSecond, 0));
    EXPECT_EQ(again_ns_ - kSecond, 8 * kMs) << "the allowance of 80 ms";
    EXPECT_FALSE(runs(kSecond + 20 * kMs, 20 * kMs));
    EXPECT_EQ(again_ns_, 1120 * kMs) << "12 ms too much: the second moment from there";
    EXPECT_TRUE(runs(again_ns_, 0));
}

TEST_F(LimitsByHand, ALimitThatIsTakenBackHoldsNobody) {
    EXPECT_TRUE(runs(kSecond, 0));
    EXPECT_FALSE(runs(kSecond + 20 * kMs, 20 * kMs));
    unit_.limit = 0;
    EXPECT_TRUE(runs(kSecond + 21 * kMs, 0));
    EXPECT_EQ(again_ns_, 0);
}

}  // namespace
}  // namespace xsched::policy::limits_test
