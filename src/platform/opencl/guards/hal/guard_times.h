// The times in a guarded launch's event. A guarded launch is one or more passes of the kernel and an empty kernel
// behind them, the tail (guard.h). The program's event is the tail's; the kernel itself began with the first pass and
// ended with the last, and these events are kept as long as the program keeps its own. Any thread may call anything.
#pragma once

#include <atomic>

#include "platform/opencl/hal/api.h"

namespace xsched::opencl {

class GuardTimes {
public:
    // Takes over a reference to `first`, the first pass's event. nullptr: no memory; nothing was taken.
    static GuardTimes* create(const ClApi& api, cl_event first);
    // Notes the event of the last pass so far; takes over a reference.
    void last(cl_event event);
    void disown();

    // Notes the program's event, with the one reference that it has now.
    void keep(cl_event event);
    static void retained(cl_event event);
    static void releasing(cl_event event);
    // Returns the event that stands for a guarded launch's, with a reference for the caller; nullptr: `event` is not
    // such a launch's.
    static cl_event find(cl_event event, cl_profiling_info what);

private:
    GuardTimes(const ClApi& api, cl_event first) : api_(api), first_(first) {}
    ~GuardTimes() = default;

    const ClApi& api_;
    const cl_event first_;
    std::atomic<cl_event> last_{nullptr};
    std::atomic<int32_t> owners_{2};  // the launch, and the program's event
    std::atomic<int32_t> references_{1};  // of the program to that event
};

}  // namespace xsched::opencl
