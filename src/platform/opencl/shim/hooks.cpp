// Every OpenCL function that XSched handles itself: one line each, checked against api/opencl.json by the compiler.
#include <cerrno>

#include "platform/opencl/shim/entry_points.h"
#include "platform/opencl/shim/extensions.h"
#include "platform/opencl/guards/shim/guard.h"
#include "platform/opencl/guards/shim/guard_hooks.h"
#include "platform/opencl/shim/launch.h"
#include "platform/opencl/shim/new_queue.h"
#include "platform/opencl/shim/queues.h"
#include "platform/opencl/shim/trace.h"

namespace xsched::opencl {
namespace {

// --- scheduled
#define ENQUEUE(name) constexpr auto hook_##name = &Enqueue<Declared<kEntry_##name>>::call;
#define ENQUEUE_BLOCKING(name, at) constexpr auto hook_##name = &Enqueue<Declared<kEntry_##name>, at>::call;

constexpr auto hook_clEnqueueNDRangeKernel = &Enqueue<GuardedNDRange>::call;
ENQUEUE(clEnqueueTask)
ENQUEUE(clEnqueueNativeKernel)
ENQUEUE_BLOCKING(clEnqueueReadBuffer, 2)
ENQUEUE_BLOCKING(clEnqueueWriteBuffer, 2)
ENQUEUE_BLOCKING(clEnqueueReadBufferRect, 2)
ENQUEUE_BLOCKING(clEnqueueWriteBufferRect, 2)
ENQUEUE_BLOCKING(clEnqueueReadImage, 2)
ENQUEUE_BLOCKING(clEnqueueWriteImage, 2)
ENQUEUE(clEnqueueCopyBuffer)
ENQUEUE(clEnqueueCopyBufferRect)
ENQUEUE(clEnqueueCopyImage)
ENQUEUE(clEnqueueCopyImageToBuffer)
ENQUEUE(clEnqueueCopyBufferToImage)
ENQUEUE(clEnqueueFillBuffer)
ENQUEUE(clEnqueueFillImage)
ENQUEUE_BLOCKING(clEnqueueMapBuffer, 2)
ENQUEUE_BLOCKING(clEnqueueMapImage, 2)
ENQUEUE(clEnqueueUnmapMemObject)
ENQUEUE(clEnqueueMigrateMemObjects)
ENQUEUE_BLOCKING(clEnqueueSVMMemcpy, 1)
ENQUEUE_BLOCKING(clEnqueueSVMMap, 1)
ENQUEUE(clEnqueueSVMMemFill)
ENQUEUE(clEnqueueSVMUnmap)
ENQUEUE(clEnqueueSVMFree)
ENQUEUE(clEnqueueSVMMigrateMem)
ENQUEUE(clEnqueueAcquireGLObjects)
ENQUEUE(clEnqueueReleaseGLObjects)
ENQUEUE(clEnqueueAcquireEGLObjectsKHR)
ENQUEUE(clEnqueueReleaseEGLObjectsKHR)

// --- ordered

// A marker or barrier does no work and is never held: without a wait list it means everything before it, which a
// hold would change, and with one it ends when the listed events do.
template <EntryPoint kEntry, typename... Rest>
cl_int wait_command(cl_command_queue queue, cl_uint count, const cl_event* events, Rest... rest) {
    if (count > 0 && events != nullptr) {
        const int saved = errno;
        depend_on(known_xqueue_of(queue), count, events);
        errno = saved;
    }
    return below<kEntry>()(queue, count, events, rest...);
}
#define WAIT_COMMAND(name, ...) constexpr auto hook_##name = &wait_command<kEntry_##name __VA_OPT__(,) __VA_ARGS__>;

WAIT_COMMAND(clEnqueueMarkerWithWaitList, cl_event*)
WAIT_COMMAND(clEnqueueBarrierWithWaitList, cl_event*)
WAIT_COMMAND(clEnqueueWaitForEvents)

cl_int hook_clFinish(cl_command_queue queue) {
    XLOG_DEBG("clFinish on queue %p", static_cast<void*>(queue));
    XqQueue* xqueue = known_xqueue_of(queue);
    if (xqueue == nullptr) return below<kEntry_clFinish>()(queue);
    const uint64_t mark = xq_sync_begin(xqueue, kXqOutside);
    const cl_int code = below<kEntry_clFinish>()(queue);
    const int saved = errno;
    if (code == CL_SUCCESS) xq_sync_end(xqueue, mark);
    errno = saved;
    return code;
}

constexpr auto hook_clWaitForEvents = &Traced<kEntry_clWaitForEvents>::call;

// --- queues

cl_command_queue hook_clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
                                           cl_int* status) {
    return note_queue(below<kEntry_clCreateCommandQueue>()(context, device, flags, status), flags, PRIORITY_DEFAULT);
}

cl_command_queue hook_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                         const cl_queue_properties* properties, cl_int* status) {
    return note_queue(below<kEntry_clCreateCommandQueueWithProperties>()(context, device, properties, status),
                      properties);
}

cl_int hook_clRetainCommandQueue(cl_command_queue queue) {
    const cl_int code = below<kEntry_clRetainCommandQueue>()(queue);
    if (code == CL_SUCCESS) queue_retained(queue);
    return code;
}

cl_int hook_clReleaseCommandQueue(cl_command_queue queue) {
    const int saved = errno;
    XLOG_DEBG("clReleaseCommandQueue of queue %p", static_cast<void*>(queue));
    queue_releasing(queue);
    errno = saved;
    return below<kEntry_clReleaseCommandQueue>()(queue);
}

cl_int hook_clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable,
                                      cl_command_queue_properties* old) {
    const cl_int code = below<kEntry_clSetCommandQueueProperty>()(queue, flags, enable, old);
    const int saved = errno;
    if (code == CL_SUCCESS && (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) queue_changed(queue);
    errno = saved;
    return code;
}

// --- forwarded

#define TRACED(name) constexpr auto hook_##name = &Traced<kEntry_##name>::call;
TRACED(clCreateBuffer)
TRACED(clCreateBufferWithProperties)
TRACED(clCreateSubBuffer)
TRACED(clCreateImage)
TRACED(clCreateImageWithProperties)
TRACED(clCreateImage2D)
TRACED(clCreateImage3D)
TRACED(clCreatePipe)
TRACED(clSVMAlloc)
TRACED(clSVMFree)
TRACED(clReleaseMemObject)

// A program that asks for a function by name gets ours where there is one, or it would pass us by.
void* ours_instead(void* driver, const char* name) {
    if (driver == nullptr || name == nullptr) return driver;
    void* hook = hook_named(name);
    if (hook == nullptr) hook = extension_hook(name, driver);
    return hook != nullptr ? hook : driver;
}

void* hook_clGetExtensionFunctionAddress(const char* name) {
    return ours_instead(below<kEntry_clGetExtensionFunctionAddress>()(name), name);
}

void* hook_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
    return ours_instead(below<kEntry_clGetExtensionFunctionAddressForPlatform>()(platform, name), name);
}

}  // namespace

void* hook_of(uint32_t entry) {
    if (only_for_guards(entry) && !guarding()) return nullptr;
    switch (entry) {
#define HOOK(name)        \
    case kEntry_##name: { \
        const decltype(cl_icd_dispatch::name) hook = hook_##name; /* a wrong signature does not compile */ \
        return reinterpret_cast<void*>(hook); \
    }
#include "entry_points.inc"
    default: return nullptr;
    }
}

}  // namespace xsched::opencl
