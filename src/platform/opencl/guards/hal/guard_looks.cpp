// Guard, what the watching thread looks for (guard_watch.h): launches that the driver dropped, and kernels of which
// work-groups wait for each other.
#include "base/log.h"
#include "platform/opencl/guards/hal/guard.h"
#include "platform/opencl/guards/hal/guard_flight.h"

namespace xsched::opencl {

void Guard::look_for_dropped() {
    for (;;) {
        Flight* dropped = nullptr;
        cl_event first = nullptr;
        {
            base::Lock lock(mutex_);
            for (dropped = flights_; dropped != nullptr; dropped = dropped->next)
                if (!dropped->reported.load(std::memory_order_relaxed) && !dropped->asked) break;
            if (dropped == nullptr) break;
            dropped->asked = true;
            first = dropped->first;
            api_.clRetainEvent(first);
            ++dropped->passes;
        }
        cl_int status = CL_QUEUED;
        api_.clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        api_.clReleaseEvent(first);
        if (status < 0 && !dropped->reported.exchange(true)) {
            dropped->left_behind = true;
            pass_over(*dropped, status);
        }
        pass_over(*dropped, CL_SUCCESS);
    }
    base::Lock lock(mutex_);
    for (Flight* flight = flights_; flight != nullptr; flight = flight->next) flight->asked = false;
}

bool Guard::look_for_mutual(int64_t now_ns) {
    bool watch = false;
    for (;;) {
        Flight* stuck = nullptr;
        {
            base::Lock lock(mutex_);
            for (Flight* flight = flights_; flight != nullptr; flight = flight->next) {
                if (flight->passes == 0) continue;
                const bool skipping = flight->skipped();
                watch = watch || skipping || closed_at_ns_ != 0;
                if (!skipping) continue;
                if (flight->skipping_ns == 0) flight->skipping_ns = now_ns;
                if (now_ns - flight->skipping_ns >= kMutualNs) stuck = flight;
            }
            if (stuck == nullptr) return watch;
            stuck->skipping_ns = now_ns;
            stuck->mutual = true;
            ++stuck->passes;
        }
        XLOG_INFO(
            "a kernel did not end %lld ms after work-groups of it were held back: they may be waited for, so it "
            "runs on and is not stopped again",
            static_cast<long long>(kMutualNs / base::kMillisecond));
        stuck->words->word(kGuardForced).store(1, std::memory_order_seq_cst);
        run_rest(*stuck);
    }
}

}  // namespace xsched::opencl
