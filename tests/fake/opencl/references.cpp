// The program's references to all objects: clRetain... and clRelease... of each kind.
#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"
#include "fake/opencl/types.h"

namespace {

template <typename Handle>
cl_int retain_handle(Handle handle, cl_int invalid) {
    if (!fake::good(handle)) return invalid;
    fake::retain(handle);
    return CL_SUCCESS;
}

template <typename Handle>
cl_int release_handle(Handle handle, cl_int invalid) {
    if (!fake::good(handle)) return invalid;
    fake::release(handle);
    return CL_SUCCESS;
}

// As the standard says, the release of a queue flushes it.
cl_int release_handle(cl_command_queue queue, cl_int invalid) {
    if (!fake::good(queue)) return invalid;
    fake::flush(queue);
    fake::release(queue);
    return CL_SUCCESS;
}

// Releases an event. Inside its own callbacks an event counts as good even without references, so a release too many
// is noticed here.
cl_int release_handle(cl_event event, cl_int invalid) {
    if (!fake::good(event)) return invalid;
    if (event->kind == fake::Kind::kUserEvent && event->refs.load() == 1) fake::abandon_user_event(event);
    if (event->refs.load() <= 0) {
        fake::report_misuse("event %p is released too often", static_cast<void*>(event));
        return invalid;
    }
    fake::release(event);
    return CL_SUCCESS;
}

}  // namespace

#define COUNTED(name, Handle, invalid)                  \
    cl_int CL_API_CALL clRetain##name(Handle handle) {  \
        FAKE_ENTRY();                                   \
        return retain_handle(handle, invalid);          \
    }                                                   \
    cl_int CL_API_CALL clRelease##name(Handle handle) { \
        FAKE_ENTRY();                                   \
        return release_handle(handle, invalid);         \
    }

extern "C" {

COUNTED(Context, cl_context, CL_INVALID_CONTEXT)
COUNTED(CommandQueue, cl_command_queue, CL_INVALID_COMMAND_QUEUE)
COUNTED(MemObject, cl_mem, CL_INVALID_MEM_OBJECT)
COUNTED(Sampler, cl_sampler, CL_INVALID_SAMPLER)
COUNTED(Program, cl_program, CL_INVALID_PROGRAM)
COUNTED(Kernel, cl_kernel, CL_INVALID_KERNEL)
COUNTED(Event, cl_event, CL_INVALID_EVENT)
}
