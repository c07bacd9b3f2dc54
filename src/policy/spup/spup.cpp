// Strict process utilization partition: see README.md.
#include "policy/policy.h"
#include "policy/pup/shares.h"

namespace xsched::policy {
namespace {

struct StrictShares final : Shares {
    StrictShares() : Shares(true) {}
};

class Spup final : public PartitionPolicy<StrictShares> {
public:
    uint32_t hints() const override {
        using base::HintId;
        return bits_of(HintId::share, HintId::utilization, HintId::timeslice_us);
    }
};

}  // namespace

XSCHED_POLICY(Spup, "SPUP", kPolicyStrictProcessUtilizationPartition,
              "strict shares of programs or users: each gets its share and never more, what is not used stays idle");

}  // namespace xsched::policy
