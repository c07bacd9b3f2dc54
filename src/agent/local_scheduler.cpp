#include "agent/local_scheduler.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/options.h"
#include "base/time.h"
#include "policy/policy.h"
#include "queue/published_slot.h"

namespace xsched::agent {
namespace {

// While queues compete and news comes, this thread looks now and then instead of being woken for each change: a wake
// costs the thread that has work more than the decision, which it took itself (decide_here).
constexpr int64_t kLookAfterNewsNs = 30 * base::kMillisecond;
constexpr int64_t kLookEveryNs = 100 * base::kMicrosecond;

}  // namespace

bool LocalScheduler::prepare(const char* policy, ipc::Region& region) {
    const policy::PolicyInfo* info = policy::find_policy(policy);
    if (info == nullptr) {
        XLOG_WARN(
            "XSCHED_POLICY=%s is not a policy of this build (it has HPF; 'xcli policy -n' lists all): this "
            "process runs unscheduled",
            policy);
        return false;
    }
    const sched::Settings settings{.precautions = base::options().precautions != 0,
                                   .foresight = static_cast<sched::Foresight>(base::options().foresight),
                                   .urgent_timeslice_us = static_cast<uint32_t>(base::options().urgent_timeslice)};
    auto* fresh = new (std::nothrow) dispatch::Dispatcher(sched::Core(info->make(), settings));
    if (fresh == nullptr) return false;
    base::Lock lock(mutex_);
    delete dispatcher_;
    dispatcher_ = fresh;
    dispatcher_->add_client({1, getpid(), &region, false});
    policy_name_ = info->name;
    region_ = &region;
    return true;
}

void* LocalScheduler::body(void* scheduler) {
    auto& self = *static_cast<LocalScheduler*>(scheduler);
    queue::g_local_decide.store(self.decide_here_, std::memory_order_release);
    self.run();
    queue::g_local_decide.store(nullptr, std::memory_order_release);
    return nullptr;
}

bool LocalScheduler::start(void (*decide)()) {
    decide_here_ = decide;
    stop_.store(false, std::memory_order_release);
    return thread_.start("xsched-local", body, this);
}

bool LocalScheduler::stop() {
    if (!thread_.started()) return false;
    stop_.store(true, std::memory_order_release);
    ipc::ring_doorbell(region_->header);
    base::futex_wake_all(region_->header.doorbell);
    thread_.join();
    return true;
}

int64_t LocalScheduler::pass() {
    base::Lock lock(mutex_);
    return dispatcher_->pass(base::now_ns());
}

void LocalScheduler::decide_here() {
    if (!mutex_.try_lock()) return;  // the thread that makes a pass now is rung, and makes another one
    dispatcher_->pass(base::now_ns());
    mutex_.unlock();
}

void LocalScheduler::run() {
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);  // for this thread only: wakes it without the usual 50 us of slack
    ipc::Header& header = region_->header;
    uint32_t heard = header.doorbell.load(std::memory_order_seq_cst);
    int64_t heard_ns = 0;
    while (!stop_.load(std::memory_order_acquire)) {
        const uint32_t seen = header.doorbell.load(std::memory_order_seq_cst);
        const int64_t wake_at = pass();
        const int64_t now = base::now_ns();
        if (seen != std::exchange(heard, seen)) heard_ns = now;
        int64_t timeout = wake_at != 0 ? std::max<int64_t>(wake_at - now, 0) : base::kForever;
        if (now - heard_ns < kLookAfterNewsNs && header.watching.load(std::memory_order_relaxed) != 0) {
            base::sleep_ns(timeout == base::kForever ? kLookEveryNs : std::min(timeout, kLookEveryNs));
            continue;
        }
        header.server_asleep.store(1, std::memory_order_seq_cst);
        if (header.doorbell.load(std::memory_order_seq_cst) == seen) base::futex_wait(header.doorbell, seen, timeout);
        header.server_asleep.store(0, std::memory_order_seq_cst);
    }
}

}  // namespace xsched::agent
