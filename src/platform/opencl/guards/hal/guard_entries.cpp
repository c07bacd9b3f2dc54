// The device library's entries for guards: those of hal/guards.h and, for the shim, of guard_abi.h.
#include "base/options.h"
#include "platform/opencl/guards/hal/guard.h"
#include "platform/opencl/guards/hal/guard_abi.h"
#include "platform/opencl/hal/guards.h"

namespace xsched::opencl {

Guard* make_guard(const ClApi& api, cl_command_queue queue, cl_context context, cl_device_id device,
                  cl_command_queue_properties properties) {
    if (!xocl_guard_wanted() || !can_guard(api, device)) return nullptr;
    Guard* guard = Guard::create(api, context, device, (properties & CL_QUEUE_PROFILING_ENABLE) != 0);
    if (guard != nullptr) guard_made(queue, guard);
    return guard;
}

void end_guard(Guard* guard, cl_command_queue queue) {
    if (guard == nullptr) return;
    guard_gone(queue);
    guard->open();
    guard->disown();
}

void guard_hold_dropped(Guard* guard) {
    if (guard != nullptr) guard->look_for_dropped();
}

void close_guard(Guard* guard) { guard->close(); }
void open_guard(Guard* guard) { guard->open(); }

}  // namespace xsched::opencl

extern "C" bool xocl_guard_wanted() { return xsched::base::options().level >= kPreemptLevelDeactivate; }

extern "C" bool xocl_guards(cl_command_queue queue) { return xsched::opencl::guard_of(queue) != nullptr; }

extern "C" cl_int xocl_guarded_launch(cl_command_queue queue, const XoclGuarded* launch, cl_uint count,
                                      const cl_event* wait_list, cl_event* event, void** times) {
    xsched::opencl::Guard* guard = xsched::opencl::guard_of(queue);
    return guard != nullptr ? guard->launch(queue, *launch, count, wait_list, event, times) : CL_INVALID_COMMAND_QUEUE;
}
