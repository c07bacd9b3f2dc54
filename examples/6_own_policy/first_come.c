/* A policy in C: first come, first served. On each device the unit runs that has had work for longest, with all units
 * of its process; no state. */
#include <xsched/policy.h>

static int64_t choose(void* state, const XPolicyUnit* units, size_t count, int64_t now_ns, XPolicyChoice* choices) {
    const XPolicyUnit* first = NULL;
    (void)state;
    (void)now_ns;
    for (size_t i = 0; i < count; ++i)
        if (units[i].wants && (first == NULL || units[i].ready_since_ns < first->ready_since_ns)) first = &units[i];
    for (size_t i = 0; first != NULL && i < count; ++i) {
        choices[i].run = units[i].process == first->process;
        choices[i].by = choices[i].run ? 0 : first->id;
    }
    return 0;
}

const XPolicyModule* XSchedPolicy(void) {
    static const XPolicyModule module = {
        .abi = XSCHED_POLICY_ABI,
        .unit_bytes = sizeof(XPolicyUnit),
        .name = "FIRST_COME",
        .summary = "first come, first served: on each device the unit that has had work for longest runs",
        .choose = choose,
    };
    return &module;
}
