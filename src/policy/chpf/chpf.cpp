// Highest CPU priority first: see README.md.
#include "policy/hpf/largest.h"
#include "policy/policy.h"

namespace xsched::policy {
namespace {

class Chpf final : public LargestFirst<&Unit::cpu_priority> {
public:
    bool rank(std::span<const Unit> units, std::span<int32_t> urgency) const override {
        for (size_t i = 0; i < units.size(); ++i) urgency[i] = units[i].cpu_priority;
        return true;
    }
    Fact needs() const override { return Fact::kCpuPriority; }
};

}  // namespace

XSCHED_POLICY(Chpf, "CHPF", kPolicyCPUHighestPriorityFirst, bits_of(),
              "highest CPU priority first: on each device the programs run that the CPU scheduler prefers",
              "raise its CPU priority: renice -n -5 -p PID");

}  // namespace xsched::policy
