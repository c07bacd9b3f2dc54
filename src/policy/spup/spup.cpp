// Strict process utilization partition: see README.md.
#include "policy/policy.h"
#include "policy/pup/shares.h"

namespace xsched::policy {
using Spup = SharesPolicy<true>;

XSCHED_POLICY(Spup, "SPUP", kPolicyStrictProcessUtilizationPartition, kShareHints,
              "strict shares of programs or users: each gets its share and never more, what is not used stays idle",
              "ask for a larger share (xcli hint PID --share PERCENT)");

}  // namespace xsched::policy
