#include "agent/local_scheduler.h"

#include "base/clock.h"
#include "base/log.h"
#include "policy/policy.h"

#include <algorithm>
#include <cstdio>
#include <new>

#include <sys/prctl.h>
#include <unistd.h>

namespace xsched::agent {

bool LocalScheduler::prepare(const char* policy, ipc::Region& region) {
    const policy::PolicyInfo* info = policy::find_policy(policy);
    if (info == nullptr) {
        XLOG_WARN("XSCHED_POLICY=%s is not a policy of this build (it has HPF; 'xcli policy -n' lists all): this "
                  "process runs unscheduled", policy);
        return false;
    }
    auto* fresh = new (std::nothrow) dispatch::Dispatcher(sched::Core(info->make()));
    if (fresh == nullptr) return false;
    base::Lock lock(mutex_);
    delete dispatcher_;
    dispatcher_ = fresh;
    dispatcher_->add_client({1, getpid(), &region, false});
    policy_name_ = info->name;
    return true;
}

int64_t LocalScheduler::pass() {
    base::Lock lock(mutex_);
    return dispatcher_->pass(base::now_ns());
}

void LocalScheduler::decide_here() {
    if (!mutex_.try_lock()) return;  // whoever passes now is rung and passes again
    dispatcher_->pass(base::now_ns());
    mutex_.unlock();
}

void LocalScheduler::run(ipc::Region& region, const std::atomic<bool>& stop, void (*carry_out)(ipc::Region&)) {
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);  // this thread alone: turns and graces end on time
    ipc::Header& header = region.header;
    while (!stop.load(std::memory_order_acquire)) {
        header.server_asleep.store(0, std::memory_order_seq_cst);
        const uint32_t seen = header.doorbell.load(std::memory_order_seq_cst);
        const int64_t wake_at = pass();
        carry_out(region);
        header.server_asleep.store(1, std::memory_order_seq_cst);
        if (header.doorbell.load(std::memory_order_seq_cst) != seen) continue;
        const int64_t timeout = wake_at != 0 ? std::max<int64_t>(wake_at - base::now_ns(), 0) : base::kForever;
        base::futex_wait(header.doorbell, seen, timeout);
    }
    header.server_asleep.store(0, std::memory_order_seq_cst);
}

}  // namespace xsched::agent
