// Highest priority first: see README.md.
#include "policy/hpf/largest.h"
#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Hpf final : public LargestFirst<&Unit::priority> {
public:
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
