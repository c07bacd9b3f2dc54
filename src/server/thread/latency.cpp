#include "server/thread/latency.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/log.h"

namespace xsched::server {
namespace {

constexpr uint64_t kSliceNs = 100'000;  // the shortest that the kernel takes

// The first version of the kernel's struct sched_attr, for which libc has no name.
struct SchedAttributes {
    uint32_t size;
    uint32_t policy;  // 0: the ordinary one
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns;  // length of a turn under the ordinary policy, since Linux 6.12
    uint64_t deadline_ns;
    uint64_t period_ns;
};

bool set_scheduling(uint32_t policy, int nice, uint32_t priority) {
    constexpr uint64_t kResetOnFork = 1;
    const uint64_t flags = policy == SCHED_RR ? kResetOnFork : 0;
    const uint64_t slice_ns = policy == SCHED_RR ? 0 : kSliceNs;
    const SchedAttributes wanted{sizeof(SchedAttributes), policy, flags, nice, priority, slice_ns, 0, 0};
    return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
}

}  // namespace

bool ask_for_real_time() {
    if (set_scheduling(SCHED_RR, 0, 1)) return true;
    XLOG_DEBG("no real-time class (%s)", strerror(errno));
    return false;
}

void ask_for_low_latency(int nice) {
    if (prctl(PR_SET_TIMERSLACK, 1UL) != 0) XLOG_DEBG("timer slack stays as it is (%s)", strerror(errno));
    if (setpriority(PRIO_PROCESS, 0, nice) != 0) XLOG_DEBG("nice value stays as it is (%s)", strerror(errno));
    errno = 0;
    const int nice_now = getpriority(PRIO_PROCESS, 0);
    if (!set_scheduling(SCHED_OTHER, errno == 0 ? nice_now : 0, 0))
        XLOG_DEBG("turn length stays as it is (%s)", strerror(errno));
}

}  // namespace xsched::server
