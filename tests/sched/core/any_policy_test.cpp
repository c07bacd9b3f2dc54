// Invariants under every policy that is registered: random worlds of programs with random hints, on two devices that
// carry out the decisions, decided at random times; and the policy may change at any moment.
//
// XSCHED_SEQUENCES: how many worlds (make test-all has 100,000).
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "sched/core/core.h"
#include "sched/core/kept_off.h"
#include "sched/given_units.h"

namespace xsched::sched::any_policy_test {
namespace {

using namespace testing;

constexpr int64_t kLongestStep = 20 * kMs;
constexpr int64_t kLongestCommand = 8 * kMs;
constexpr size_t kMostUnits = 8;
constexpr Settings kSettings{.starvation_limit_ns = 100 * kMs, .starvation_turn_ns = 3 * kMs, .claim_limit_ns = 0};
// Longest time that a unit may be kept off: the starvation limit, and one step until the scheduler looks.
constexpr int64_t kBound = kSettings.starvation_limit_ns + kLongestStep;

const std::vector<const char*>& names() {
    static const std::vector<const char*> all = [] {
        std::vector<const char*> found;
        for (const policy::PolicyInfo& info : policy::policies()) found.push_back(info.name);
        return found;
    }();
    return all;
}

std::unique_ptr<policy::Policy> make(const char* name) { return policy::find_policy(name)->make(); }

class World {
public:
    explicit World(uint32_t seed) : random_(seed) {}

    int64_t now_ns = kStart;
    std::vector<UnitState> units;

    int64_t below(int64_t limit) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit)); }

    // Lets time pass until the core wants to be asked or something happens. Meanwhile each unit that may run uses its
    // device.
    void step(int64_t wake_at_ns, std::span<const Verdict> verdicts) {
        int64_t next_ns = now_ns + 1 + below(kLongestStep);
        if (wake_at_ns != 0 && wake_at_ns < next_ns) next_ns = std::max(now_ns + 1, wake_at_ns);
        for (size_t i = 0; i < std::min(units.size(), verdicts.size()); ++i)
            if (units[i].ready && !verdicts[i].suspend) use(units[i], next_ns - now_ns);
        now_ns = next_ns;
        for (int64_t changes = below(3); changes > 0; --changes) change();
    }

private:
    void use(UnitState& state, int64_t ns) {
        state.unit.busy_ns += ns / (1 + below(2));
        if (ns < state.unit.command_ns) return;
        ++state.completed;
        state.progress_ns = now_ns + ns;
    }

    void change() {
        const int64_t what = below(40);
        if (units.empty() || (what < 4 && units.size() < kMostUnits)) return come();
        const size_t at = static_cast<size_t>(below(static_cast<int64_t>(units.size())));
        UnitState& state = units[at];
        if (what < 6) {
            units.erase(units.begin() + static_cast<std::ptrdiff_t>(at));
        } else if (what == 6) {
            state.suspended_by_person = !state.suspended_by_person;
        } else if (what == 7) {
            state.unit.priority = below(6) == 0 ? PRIORITY_NO_EXECUTE : static_cast<int32_t>(below(5)) - 2;
        } else if (what == 8) {
            state.unit.cpu_priority = static_cast<int32_t>(below(200)) - 30;
        } else if (what < 11) {
            hint(state);
        } else if (state.ready) {
            state.ready = false;
            state.idle_since_ns = now_ns;
        } else {
            state.ready = true;
            state.unit.ready_since_ns = state.progress_ns = now_ns;
        }
    }

    void come() {
        ++last_id_;
        UnitState state = Given{.id = last_id_,
                                .priority = static_cast<int32_t>(below(5)) - 2,
                                .device = static_cast<uint64_t>(1 + below(2)),
                                .command_ns = 1 + below(kLongestCommand)};
        if (below(3) == 0) state.unit.process = state.group = 1000 + static_cast<uint64_t>(below(3));
        if (below(4) == 0) state.unit.account = 2000 + static_cast<uint64_t>(below(2));
        units.push_back(state);
        hint(units.back());
    }

    // Sets a random hint of the unit to a random value that it may have, up to 100,000. Sets nothing if that hint is
    // the priority or a time.
    void hint(UnitState& state) {
        const base::HintInfo& info = base::kHints[static_cast<size_t>(below(base::kHintCount))];
        if (info.id == base::HintId::priority || info.kind == base::HintKind::kTime) return;
        const int64_t most = std::min<int64_t>(info.most, 100'000);
        base::set_hint(state.unit, info.id, info.least + below(most - info.least + 1));
    }

    std::mt19937 random_;
    uint64_t last_id_ = 0;
};

bool waits(const UnitState& state, const Verdict& verdict) {
    return state.ready && is_eligible(state) && verdict.suspend && verdict.reason != Reason::kLimited;
}

void expect_rules(const World& world, const WholeCore::Plan& plan) {
    ASSERT_EQ(plan.verdicts.size(), world.units.size());
    for (size_t i = 0; i < world.units.size(); ++i) {
        const UnitState& state = world.units[i];
        const Verdict& verdict = plan.verdicts[i];
        ASSERT_EQ(verdict.id, state.unit.id);
        if (is_eligible(state)) continue;
        ASSERT_TRUE(verdict.suspend);
        ASSERT_EQ(verdict.reason, state.suspended_by_person ? Reason::kHeld : Reason::kNoExecute);
    }
}

void expect_same(const WholeCore::Plan& a, const WholeCore::Plan& b) {
    ASSERT_EQ(a.wake_at_ns, b.wake_at_ns);
    for (size_t i = 0; i < a.verdicts.size(); ++i) {
        ASSERT_EQ(a.verdicts[i].suspend, b.verdicts[i].suspend);
        ASSERT_EQ(a.verdicts[i].reason, b.verdicts[i].reason);
        ASSERT_EQ(a.verdicts[i].by, b.verdicts[i].by);
    }
}

// `changes`: one in so many decisions comes with another policy; 0: none.
void live_through(const char* name, uint32_t seed, int64_t changes) {
    World world(seed);
    WholeCore core(Core(make(name), kSettings));
    WholeCore twin(Core(make(name), kSettings));
    KeptOff kept_off;
    WholeCore::Plan plan;
    for (int i = 0; i < 60; ++i) {
        world.step(plan.wake_at_ns,
                   plan.verdicts.size() == world.units.size() ? plan.verdicts : std::vector<Verdict>{});
        if (changes != 0 && world.below(changes) == 0) {
            const char* other = names()[static_cast<size_t>(world.below(static_cast<int64_t>(names().size())))];
            core.set_policy(make(other));
            twin.set_policy(make(other));
        }
        plan = core.decide(world.units, world.now_ns);
        expect_rules(world, plan);
        kept_off.check(world, kBound, [&](size_t at) { return waits(world.units[at], plan.verdicts[at]); });
        expect_same(plan, twin.decide(world.units, world.now_ns));
        ASSERT_EQ(core.thrown_out(), nullptr);
        if (::testing::Test::HasFailure()) return;
    }
}

int sequences() {
    const char* text = getenv("XSCHED_SEQUENCES");
    return text != nullptr ? atoi(text) : 550;
}

class AnyPolicy : public ::testing::TestWithParam<const char*> {};

TEST_P(AnyPolicy, KeepsTheRules) {
    for (int seed = 1; seed <= sequences() / static_cast<int>(names().size()); ++seed) {
        live_through(GetParam(), static_cast<uint32_t>(seed), 0);
        ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    }
}

TEST_P(AnyPolicy, AChangeAtAnyMomentLosesNothing) {
    for (int seed = 1; seed <= sequences() / static_cast<int>(names().size()); ++seed) {
        live_through(GetParam(), static_cast<uint32_t>(seed), 5);
        ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, AnyPolicy, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace xsched::sched::any_policy_test
