// Process utilization partition: see README.md.
#include "policy/policy.h"
#include "policy/pup/shares.h"

namespace xsched::policy {
using Pup = SharesPolicy<false>;

XSCHED_POLICY(Pup, "PUP", kPolicyProcessUtilizationPartition, kShareHints,
              "shares of programs or users: each gets at least its share when it asks; what is not used is lent",
              "ask for a larger share (xcli hint PID --share PERCENT)");

}  // namespace xsched::policy
