// A program linked with libpreempt that reads every variable of ours and says so in the log: the tests run copies of it
// with and without the set-user-id bit.
#include <cstdio>

#include "queue/abi/queue_abi.h"
#include "xsched/xsched.h"

int main() {
    xq_auto_create(0, 0);  // no such queue: one line says so, after those about the options
    XHintSetScheduler(kSchedulerGlobal, kPolicyHighestPriorityFirst);
    std::puts("done");
    return 0;
}
