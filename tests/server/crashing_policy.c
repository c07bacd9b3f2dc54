/* A policy that crashes at its first decision. */
#include <stdlib.h>
#include <xsched/policy.h>

static int64_t choose(void* state, const XPolicyUnit* units, size_t count, int64_t now_ns, XPolicyChoice* choices) {
    (void)state, (void)units, (void)count, (void)now_ns, (void)choices;
    abort();
}

const XPolicyModule* XSchedPolicy(void) {
    static const XPolicyModule module = {.abi = XSCHED_POLICY_ABI,
                                         .unit_bytes = sizeof(XPolicyUnit),
                                         .name = "CRASHES",
                                         .summary = "a test's",
                                         .choose = choose};
    return &module;
}
