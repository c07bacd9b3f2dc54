// Highest priority first: see README.md.
#include "policy/hpf/largest.h"
#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Hpf final : public Policy {
public:
    int64_t choose(std::span<const Unit> units, int64_t /*now_ns*/, std::span<Choice> choices) override {
        run_largest(units, choices, [units](size_t i) { return units[i].priority; });
        return 0;
    }

    void mark_preemptible(std::span<const Unit> units, std::span<uint8_t> marks) const override {
        int32_t most = PRIORITY_NO_EXECUTE;
        for (const Unit& unit : units) most = std::max(most, unit.priority);
        for (size_t i = 0; i < units.size(); ++i) marks[i] = units[i].priority < most ? 1 : 0;
    }
};

}  // namespace

XSCHED_POLICY(Hpf, "HPF", kPolicyHighestPriorityFirst, bits_of(base::HintId::priority),
              "highest priority first: on each device the most urgent unit with work runs, equals run together");

}  // namespace xsched::policy
