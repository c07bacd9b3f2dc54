// Utilization partition: see README.md.
#include <algorithm>

#include "policy/policy.h"
#include "policy/up/partition.h"

namespace xsched::policy {
namespace {

// A returning program gets credit for at most this many of its timeslices.
constexpr int64_t kSavedSlices = 4;

class Utilizations final : public Rules {
public:
    Programs::By by() const override { return Programs::By::kProgram; }
    int64_t unit() const override { return 100; }
    void weigh(std::span<const Program> programs, std::span<Weight> weights) const override {
        for (size_t i = 0; i < programs.size(); ++i) weights[i].weight = std::max(programs[i].utilization, 1);
    }
    int64_t saved_ns(const Program& program) const override { return kSavedSlices * program.timeslice_ns; }
};

using Up = PartitionPolicy<Utilizations>;

}  // namespace

XSCHED_POLICY(Up, "UP", kPolicyUtilizationPartition, bits_of(base::HintId::utilization, base::HintId::timeslice_us),
              "utilization partition: on each device busy programs take turns, as long as their shares say",
              "raise its part of the turns (xcli hint PID -u PERCENT)");

}  // namespace xsched::policy
