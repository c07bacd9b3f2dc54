// Invariants that hold whatever happens: random worlds of units that come, go, work, rest, change priority and are
// held, decided at random times.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "sched/core/core.h"
#include "sched/core/kept_off.h"
#include "sched/given_units.h"

namespace xsched::sched::core_property_test {
namespace {

using namespace testing;

constexpr Settings kSettings{.starvation_limit_ns = 50 * kMs,
                             .starvation_turn_ns = 3 * kMs,
                             .anticipation_max_ns = 2 * kMs,
                             .anticipation_min_ns = 0};
constexpr int64_t kLongestStep = 4 * kMs;
constexpr int64_t kLongestCommand = 8 * kMs;

class World {
public:
    explicit World(uint32_t seed) : random_(seed) {}

    int64_t now_ns = kStart;
    std::vector<UnitState> units;

    // Time passes until the core wants to be asked or something happens, then something happens.
    void step(int64_t wake_at_ns) {
        int64_t next_ns = now_ns + below(kLongestStep);
        if (wake_at_ns != 0 && wake_at_ns < next_ns) next_ns = std::max(now_ns, wake_at_ns);
        now_ns = next_ns;
        for (int changes = static_cast<int>(below(4)); changes > 0; --changes) change();
    }

private:
    int64_t below(int64_t limit) { return std::uniform_int_distribution<int64_t>(0, limit - 1)(random_); }

    void change() {
        const int64_t what = below(100);
        if (units.empty() || (what < 4 && units.size() < 12)) return come();
        const size_t at = static_cast<size_t>(below(static_cast<int64_t>(units.size())));
        UnitState& state = units[at];
        if (what < 6) {
            units.erase(units.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (what < 8) {
            state.suspended_by_person = !state.suspended_by_person;
        } else if (what < 10) {
            state.unit.priority = below(8) == 0 ? PRIORITY_NO_EXECUTE : static_cast<int32_t>(below(4));
        } else if (what < 12) {
            std::swap(state, units[static_cast<size_t>(below(static_cast<int64_t>(units.size())))]);
        } else if (state.ready) {
            state.ready = false;
            state.idle_since_ns = now_ns - below(50 * kUs);
        } else {
            state.ready = true;
            state.unit.ready_since_ns = std::max(state.idle_since_ns, now_ns - below(50 * kUs));
        }
    }

    void come() {
        units.push_back(Given{.id = ++last_id_,
                              .priority = static_cast<int32_t>(below(4)),
                              .device = static_cast<uint64_t>(1 + below(2)),
                              .command_ns = below(kLongestCommand)});
    }

    std::mt19937 random_;
    uint64_t last_id_ = 0;
};

bool eligible(const UnitState& state) {
    return !state.suspended_by_person && state.unit.priority != PRIORITY_NO_EXECUTE;
}

const UnitState* find(const World& world, uint64_t id) {
    for (const UnitState& state : world.units)
        if (state.unit.id == id) return &state;
    return nullptr;
}

// On each device with work a unit with work runs, unless the device is kept free for a more urgent unit. It is kept
// free for no longer than the limit of anticipation.
void expect_work_runs(const World& world, const WholeCore::Plan& plan) {
    std::map<uint64_t, bool> work;
    std::map<uint64_t, bool> runs;
    for (size_t i = 0; i < world.units.size(); ++i) {
        const UnitState& state = world.units[i];
        const Verdict& verdict = plan.verdicts[i];
        if (!state.ready || !eligible(state)) continue;
        work[state.unit.device] = true;
        runs[state.unit.device] |= !verdict.suspend;
        if (!verdict.suspend || verdict.reason != Reason::kAnticipation) continue;
        const UnitState* by = find(world, verdict.by);
        ASSERT_NE(by, nullptr);
        EXPECT_FALSE(by->ready);
        EXPECT_LT(world.now_ns - by->idle_since_ns, kSettings.anticipation_max_ns);
        EXPECT_TRUE(plan.wake_at_ns != 0 && plan.wake_at_ns <= by->idle_since_ns + kSettings.anticipation_max_ns);
        runs[state.unit.device] = true;
    }
    for (const auto& [device, has_work] : work) EXPECT_TRUE(runs[device]) << "device " << device << " stands still";
}

// No unit makes room for a less urgent one, or for an equal other than for its turn among equals
// (sched/order/favour.h). No unit makes room for one elsewhere, one that is held, or one with nothing to come.
void expect_order(const World& world, const WholeCore::Plan& plan) {
    for (size_t i = 0; i < world.units.size(); ++i) {
        const UnitState& state = world.units[i];
        const Verdict& verdict = plan.verdicts[i];
        ASSERT_EQ(verdict.id, state.unit.id);
        if (!eligible(state)) {
            EXPECT_TRUE(verdict.suspend);
            EXPECT_EQ(verdict.reason, state.suspended_by_person ? Reason::kHeld : Reason::kNoExecute);
            continue;
        }
        if (!verdict.suspend) continue;
        const UnitState* by = find(world, verdict.by);
        ASSERT_NE(by, nullptr);
        const bool among_equals = verdict.reason == Reason::kNotItsTurn || verdict.reason == Reason::kEqualsTurn ||
                                  verdict.reason == Reason::kFavoured;
        EXPECT_GE(by->unit.priority, state.unit.priority + (among_equals ? 0 : 1));
        EXPECT_EQ(by->unit.device, state.unit.device);
        EXPECT_TRUE(eligible(*by));
        EXPECT_TRUE(among_equals || verdict.reason == Reason::kLessUrgent || verdict.reason == Reason::kAnticipation);
        EXPECT_EQ(by->ready, among_equals || verdict.reason == Reason::kLessUrgent);
        EXPECT_TRUE(verdict.preemptible && verdict.watched);
    }
}

void expect_same(const WholeCore::Plan& a, const WholeCore::Plan& b) {
    ASSERT_EQ(a.verdicts.size(), b.verdicts.size());
    EXPECT_EQ(a.wake_at_ns, b.wake_at_ns);
    for (size_t i = 0; i < a.verdicts.size(); ++i) {
        const Verdict& x = a.verdicts[i];
        const Verdict& y = b.verdicts[i];
        EXPECT_TRUE(x.id == y.id && x.suspend == y.suspend && x.reason == y.reason && x.by == y.by &&
                    x.since_ns == y.since_ns);
    }
}

class AnyWorld : public ::testing::TestWithParam<uint32_t> {};

TEST_P(AnyWorld, KeepsTheRules) {
    World world(GetParam());
    WholeCore core = hpf_core(kSettings);
    WholeCore twin = hpf_core(kSettings);
    KeptOff kept_off;
    std::map<uint64_t, bool> suspended;
    int64_t wake_at_ns = 0;
    for (int i = 0; i < 4000 && !HasFailure(); ++i) {
        world.step(wake_at_ns);
        const WholeCore::Plan& plan = core.decide(world.units, world.now_ns);
        wake_at_ns = plan.wake_at_ns;
        ASSERT_EQ(plan.verdicts.size(), world.units.size());
        ASSERT_TRUE(wake_at_ns == 0 || wake_at_ns > world.now_ns);
        expect_work_runs(world, plan);
        expect_order(world, plan);
        kept_off.check(world, kSettings.starvation_limit_ns, [&](size_t at) {
            return world.units[at].ready && eligible(world.units[at]) && plan.verdicts[at].suspend;
        });
        expect_same(plan, twin.decide(world.units, world.now_ns));
        for (const Verdict& verdict : plan.verdicts) {
            suspended[verdict.id] = verdict.suspend;
        }
    }
    EXPECT_EQ(core.thrown_out(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyWorld, ::testing::Range(1U, 21U));

}  // namespace
}  // namespace xsched::sched::core_property_test
