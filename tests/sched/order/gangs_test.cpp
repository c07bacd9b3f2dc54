// Gangs: units of several devices run and stop together, under whatever policy.
#include "sched/order/gangs.h"

#include <gtest/gtest.h>

#include <string>

#include "base/short_name.h"
#include "sched/given_units.h"

namespace xsched::sched::testing {
namespace {

constexpr int64_t kGang = 5;

WholeCore core_of(const char* policy, Settings settings = kBelieving) {
    return WholeCore(Core(policy::find_policy(policy)->make(), settings));
}

// Returns which of the units run, by position: "10" means the first alone.
std::string running(const WholeCore::Plan& plan) {
    std::string text;
    for (const Verdict& verdict : plan.verdicts) text += verdict.suspend ? '0' : '1';
    return text;
}

Given member(uint64_t id, uint64_t device, int32_t priority = 0) {
    return {.id = id, .priority = priority, .ready = true, .ready_since_ns = kStart, .device = device, .gang = kGang};
}
Given stranger(uint64_t id, uint64_t device, int32_t priority = 0) {
    return {.id = id, .priority = priority, .ready = true, .ready_since_ns = kStart, .device = device};
}

TEST(Gangs, OneThatMayNotRunOnOneDeviceIsSuspendedOnAll) {
    WholeCore core = hpf_core();
    const UnitState units[] = {member(1, 1, 5), member(2, 2, 5), stranger(3, 1, 0), stranger(4, 2, 9)};
    const auto& plan = core.decide(units, kStart);
    EXPECT_EQ(running(plan), "0011");  // device 1 is not left idle meanwhile
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kGang);
    EXPECT_EQ(plan.verdicts[1].reason, Reason::kLessUrgent);
}

TEST(Gangs, OneThatMayRunOnAllDoes) {
    WholeCore core = hpf_core();
    UnitState units[] = {member(1, 1, 5), member(2, 2, 5), stranger(3, 1, 0), stranger(4, 2, 9)};
    core.decide(units, kStart);
    units[3].ready = false;
    EXPECT_EQ(running(core.decide(units, kStart + kMs)), "1101");  // the idle one would run, and has nothing to do
    units[3].ready = true;
    EXPECT_EQ(running(core.decide(units, kStart + 2 * kMs)), "0011");
}

TEST(Gangs, ThePriorityIsThatOfTheMostUrgentMember) {
    WholeCore core = hpf_core();
    const UnitState units[] = {member(1, 1, 5), member(2, 2, 0), stranger(3, 1, 2), stranger(4, 2, 2)};
    EXPECT_EQ(running(core.decide(units, kStart)), "1100");
}

TEST(Gangs, AGangOfOneIsLikeNone) {
    for (const policy::PolicyInfo& info : policy::policies()) {
        WholeCore with = core_of(info.name);
        WholeCore without = core_of(info.name);
        UnitState units[] = {member(1, 1, 1), stranger(2, 1, 2), stranger(3, 2, 0)};
        for (int step = 0; step < 50; ++step) {
            units[static_cast<size_t>(step % 3)].ready = step % 5 != 0;
            units[0].unit.gang = kGang;
            const std::string one = running(with.decide(units, kStart + step * 3 * kMs));
            units[0].unit.gang = 0;
            EXPECT_EQ(one, running(without.decide(units, kStart + step * 3 * kMs))) << info.name;
        }
    }
}

TEST(Gangs, EqualNamesOfTwoUsersAreTwoGangs) {
    WholeCore core = hpf_core();
    UnitState units[] = {member(1, 1, 5), member(2, 2, 5), stranger(3, 1, 0), stranger(4, 2, 9)};
    units[0].user = 1;
    units[1].user = 2;
    EXPECT_EQ(running(core.decide(units, kStart)), "1001");
}

TEST(Gangs, AMemberThatHasBeenIdleForAWhileHoldsNobody) {
    WholeCore core = hpf_core();
    UnitState units[] = {member(1, 1, 5), member(2, 2, 5), stranger(3, 1, 0), stranger(4, 2, 9)};
    units[1].ready = false;
    units[1].idle_since_ns = kStart - kMs;
    const auto& plan = core.decide(units, kStart);
    EXPECT_EQ(running(plan), "0011");
    EXPECT_LE(plan.wake_at_ns, kStart - kMs + kMostGuessNs);
    EXPECT_EQ(running(core.decide(units, kStart + kMostGuessNs)).substr(0, 1), "1");
}

TEST(Gangs, AMemberThatGoesHoldsNobody) {
    WholeCore core = hpf_core();
    const UnitState units[] = {member(1, 1, 5), stranger(3, 1, 0), stranger(4, 2, 9), member(2, 2, 5)};
    EXPECT_EQ(running(core.decide(units, kStart)), "0110");
    EXPECT_EQ(running(core.decide(std::span(units).first(3), kStart + kMs)), "101");
}

TEST(Gangs, AMemberThatAPersonSuspendsStopsAll) {
    WholeCore core = hpf_core();
    UnitState units[] = {member(1, 1), member(2, 2)};
    units[1].suspended_by_person = true;
    const auto& plan = core.decide(units, kStart);
    EXPECT_EQ(running(plan), "00");
    EXPECT_EQ(plan.verdicts[0].reason, Reason::kGang);
    EXPECT_EQ(running(core.decide(units, kStart + 10 * kSecond)), "00");  // it does not starve
    units[1].suspended_by_person = false;
    EXPECT_EQ(running(core.decide(units, kStart + 11 * kSecond)), "11");
}

// Busy units under a policy that gives turns: device time goes to the units that run.
struct Busy {
    std::vector<UnitState> units;
    std::vector<int64_t> had_ns = std::vector<int64_t>(16);
    int64_t apart_ns = 0;    // one member ran where another one did not
    int64_t all_stand_ns = 0;
    std::string when;

    void run(WholeCore& core, int64_t ns, int64_t from_ns = kStart) {
        constexpr int64_t kStep = kMs / 2;
        for (int64_t now_ns = from_ns; now_ns < from_ns + ns; now_ns += kStep) {
            const auto& plan = core.decide(units, now_ns);
            std::map<int64_t, std::string> gangs;
            std::map<uint64_t, int> on_device;
            for (size_t i = 0; i < units.size(); ++i) {
                if (units[i].unit.gang != 0) gangs[units[i].unit.gang] += plan.verdicts[i].suspend ? '0' : '1';
                on_device[units[i].unit.device] += plan.verdicts[i].suspend ? 0 : 1;
            }
            for (const auto& [gang, text] : gangs)
                if (text.find('0') != std::string::npos && text.find('1') != std::string::npos) {
                    apart_ns += kStep;
                    when += std::to_string((now_ns - from_ns) / kUs) + " ";
                }
            for (const auto& [device, count] : on_device) all_stand_ns += count == 0 ? kStep : 0;
            for (size_t i = 0; i < units.size(); ++i) {
                if (plan.verdicts[i].suspend) continue;
                const int64_t part_ns = kStep / on_device[units[i].unit.device];
                had_ns[i] += part_ns;
                units[i].unit.busy_ns += part_ns;
                units[i].completed += 1;
                units[i].progress_ns = now_ns;
            }
        }
    }
};

const char* const kTurns[] = {"UP", "PUP", "CFS", "MLFQ", "AUTO", "KEDF", "LAX", "HPF"};

TEST(Gangs, TurnsAreTakenTogether) {
    for (const char* policy : kTurns) {
        WholeCore core = core_of(policy);
        Busy busy{.units = {member(1, 1), member(2, 2), stranger(3, 1), stranger(4, 2)}};
        busy.run(core, 2 * kSecond);
        EXPECT_EQ(busy.apart_ns, 0) << busy.when << policy;
        EXPECT_EQ(busy.all_stand_ns, 0) << policy;
        for (size_t i = 0; i < busy.units.size(); ++i) EXPECT_GT(busy.had_ns[i], 600 * kMs) << policy << " unit " << i;
    }
}

// With one competitor on one device and three on the other the gang has what the fuller one gives it.
TEST(Gangs, TheMostCrowdedDeviceLeads) {
    for (const char* policy : {"UP", "CFS", "AUTO"}) {
        WholeCore core = core_of(policy);
        Busy busy{
            .units = {member(1, 1), member(2, 2), stranger(3, 1), stranger(4, 2), stranger(5, 2), stranger(6, 2)}};
        busy.run(core, 4 * kSecond);
        EXPECT_EQ(busy.apart_ns, 0) << busy.when << policy;
        EXPECT_NEAR(static_cast<double>(busy.had_ns[1]), 1e9, 0.2e9) << policy;
        EXPECT_NEAR(static_cast<double>(busy.had_ns[2]), 3e9, 0.2e9) << policy;
        for (const size_t other : {3, 4, 5}) EXPECT_GT(busy.had_ns[other], 700 * kMs) << policy;
    }
}

// Two gangs over the same devices, and rings of gangs that overlap in one each: no gang waits for ever.
TEST(Gangs, OverlappingGangsAllGetOn) {
    for (const char* policy : kTurns) {
        for (const bool ring : {false, true}) {
            WholeCore core = core_of(policy);
            Busy busy;
            for (uint64_t gang = 1; gang <= 3; ++gang) {
                for (const uint64_t next : {0, 1}) {
                    const uint64_t device = ring ? (gang + next - 1) % 3 + 1 : next + 1;
                    Given given = member(2 * gang + next, device);
                    given.gang = static_cast<int64_t>(gang);
                    busy.units.push_back(given);
                }
            }
            busy.run(core, 3 * kSecond);
            EXPECT_EQ(busy.apart_ns, 0) << busy.when << policy << (ring ? " ring" : " same");
            for (size_t i = 0; i < busy.units.size(); ++i)
                EXPECT_GT(busy.had_ns[i], 50 * kMs) << policy << (ring ? " ring" : " same") << " unit " << i;
        }
    }
}

TEST(Gangs, AStarvedGangGetsATurnTogether) {
    WholeCore core = hpf_core();
    Busy busy{.units = {member(1, 1), member(2, 2), stranger(3, 1, 0), stranger(4, 2, 9)}};
    busy.run(core, 5 * kSecond);
    EXPECT_GT(busy.had_ns[0], 15 * kMs);
    EXPECT_GT(busy.had_ns[1], 15 * kMs);
    EXPECT_LE(busy.apart_ns, 5 * kMs);
}

TEST(Gangs, AUserHasSoManyGangsAndAGangSoManyDevices) {
    WholeCore core = hpf_core();
    std::vector<UnitState> units;
    for (uint64_t gang = 1; gang <= Gangs::kMostOfUser + 1; ++gang) {
        for (const uint64_t device : {1, 2}) {
            Given given = member(2 * gang + device, device, device == 2 ? 1 : 5);
            given.gang = static_cast<int64_t>(gang);
            units.push_back(given);
        }
    }
    units.push_back(stranger(1000, 2, 9));
    const std::string runs = running(core.decide(units, kStart));
    EXPECT_EQ(runs.substr(0, runs.size() - 1).find('1'), 2 * Gangs::kMostOfUser);
}

TEST(ShortName, NamesAndNumbersAreOneAnother) {
    using base::name_of_number;
    using base::number_of_name;
    EXPECT_EQ(number_of_name("a"), 1);
    EXPECT_EQ(number_of_name("ab"), 1 + 2 * 38);
    for (const char* name : {"a", "train", "nccl-2-gpus", "z--9", "zzzzzzzzzzzz"})
        EXPECT_EQ(name_of_number(number_of_name(name)), name);
    EXPECT_EQ(number_of_name("Train"), number_of_name("train"));
    for (const char* wrong : {"", "9a", "-a", "a b", "thirteen-char", "a\xc3\xa4"}) EXPECT_EQ(number_of_name(wrong), 0);
    EXPECT_LT(number_of_name("------------") + number_of_name("z-----------"), base::kMostNames);
    EXPECT_EQ(name_of_number(0), "");
}

}  // namespace
}  // namespace xsched::sched::testing
