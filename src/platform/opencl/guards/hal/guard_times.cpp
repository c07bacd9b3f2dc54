#include "platform/opencl/guards/hal/guard_times.h"

#include <new>

#include "base/mutex.h"
#include "base/pointer_map.h"
#include "platform/opencl/guards/hal/guard_abi.h"

namespace xsched::opencl {
namespace {

constinit base::PointerMap<GuardTimes> g_times;
constinit base::Mutex g_times_mutex;  // an entry found in the map does not go while it is held

}  // namespace

GuardTimes* GuardTimes::create(const ClApi& api, cl_event first) { return new (std::nothrow) GuardTimes(api, first); }

void GuardTimes::last(cl_event event) {
    cl_event before = last_.exchange(event, std::memory_order_acq_rel);
    if (before != nullptr) api_.clReleaseEvent(before);
}

void GuardTimes::disown() {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (cl_event event = last_.load(std::memory_order_relaxed)) api_.clReleaseEvent(event);
    api_.clReleaseEvent(first_);
    delete this;
}

void GuardTimes::keep(cl_event event) {
    if (event == nullptr || !g_times.insert(event, this)) disown();
}

void GuardTimes::retained(cl_event event) {
    if (event == nullptr) return;
    base::Lock lock(g_times_mutex);
    if (GuardTimes* times = g_times.find(event)) times->references_.fetch_add(1, std::memory_order_relaxed);
}

void GuardTimes::releasing(cl_event event) {
    if (event == nullptr || g_times.find(event) == nullptr) return;
    GuardTimes* gone = nullptr;
    {
        base::Lock lock(g_times_mutex);
        GuardTimes* times = g_times.find(event);
        if (times != nullptr && times->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            gone = g_times.erase(event);
    }
    if (gone != nullptr) gone->disown();
}

cl_event GuardTimes::find(cl_event event, cl_profiling_info what) {
    if (event == nullptr || g_times.find(event) == nullptr) return nullptr;
    GuardTimes* times = nullptr;
    {
        base::Lock lock(g_times_mutex);
        times = g_times.find(event);
        if (times == nullptr) return nullptr;
        times->owners_.fetch_add(1, std::memory_order_relaxed);
    }
    // The times of queueing, submission and start are those of the first pass; the end is the last pass's. Only the
    // time of completion comes from the tail, whose event the program has.
    cl_event told = what == CL_PROFILING_COMMAND_COMPLETE ? event : times->first_;
    cl_event last = times->last_.load(std::memory_order_acquire);
    if (what == CL_PROFILING_COMMAND_END && last != nullptr) told = last;
    times->api_.clRetainEvent(told);
    times->disown();
    return told;
}

}  // namespace xsched::opencl

extern "C" void xocl_times_keep(void* times, cl_event event) {
    if (times != nullptr) static_cast<xsched::opencl::GuardTimes*>(times)->keep(event);
}

extern "C" void xocl_times_retained(cl_event event) { xsched::opencl::GuardTimes::retained(event); }

extern "C" void xocl_times_releasing(cl_event event) { xsched::opencl::GuardTimes::releasing(event); }

extern "C" cl_event xocl_times_event(cl_event event, cl_profiling_info what) {
    return xsched::opencl::GuardTimes::find(event, what);
}
