// Process utilization partition: see README.md.
#include "policy/policy.h"
#include "policy/pup/shares.h"

namespace xsched::policy {
namespace {

struct LentShares final : Shares {
    LentShares() : Shares(false) {}
};

class Pup final : public PartitionPolicy<LentShares> {
public:
    uint32_t hints() const override {
        using base::HintId;
        return bits_of(HintId::share, HintId::utilization, HintId::timeslice_us);
    }
};

}  // namespace

XSCHED_POLICY(Pup, "PUP", kPolicyProcessUtilizationPartition,
              "shares of programs or users: each gets at least its share when it asks; what is not used is lent");

}  // namespace xsched::policy
