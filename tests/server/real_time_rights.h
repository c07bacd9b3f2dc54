// Finds whether this user's processes may have real-time threads: asked of the kernel, not of the server under test.
#pragma once

#include <sched.h>

namespace xsched::test {

inline bool may_be_real_time() {
    const sched_param lowest{1};
    const bool may = sched_setscheduler(0, SCHED_RR, &lowest) == 0;
    const sched_param none{0};
    sched_setscheduler(0, SCHED_OTHER, &none);
    return may;
}

}  // namespace xsched::test
