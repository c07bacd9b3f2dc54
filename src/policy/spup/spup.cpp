// Strict process utilization partition: see README.md.
#include "policy/policy.h"
#include "policy/pup/shares.h"

namespace xsched::policy {
namespace {

using Spup = SharesPolicy<true>;

}  // namespace

XSCHED_POLICY(Spup, "SPUP", kPolicyStrictProcessUtilizationPartition,
              "strict shares of programs or users: each gets its share and never more, what is not used stays idle");

}  // namespace xsched::policy
