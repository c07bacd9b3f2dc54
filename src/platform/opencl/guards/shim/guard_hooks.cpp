#include "platform/opencl/guards/shim/guard_hooks.h"

#include <cerrno>

#include "base/no_copies.h"
#include "platform/opencl/guards/hal/guard_abi.h"
#include "platform/opencl/guards/shim/guard.h"
#include "platform/opencl/shim/guards.h"
#include "platform/opencl/shim/launch.h"

namespace xsched::opencl {
namespace {

// Keeps errno as the driver's call left it, whatever our own work beside the call does.
class KeepErrno : base::NoCopies {
public:
    KeepErrno() = default;
    ~KeepErrno() { errno = saved_; }

private:
    const int saved_ = errno;
};

template <EntryPoint kEntry, typename Object>
cl_int retain(Object object, void (*retained)(Object)) {
    const cl_int code = below<kEntry>()(object);
    if (code == CL_SUCCESS) retained(object);
    return code;
}

constexpr auto hook_clEnqueueNDRangeKernel = &Enqueue<GuardedNDRange>::call;

}  // namespace

cl_program hook_clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts, const size_t* lengths,
                                          cl_int* status) {
    cl_program program = below<kEntry_clCreateProgramWithSource>()(context, count, texts, lengths, status);
    const KeepErrno keep;
    program_made(program);
    return program;
}

cl_int hook_clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                           BuildNotify notify, void* data) {
    program_building(program);
    return below<kEntry_clBuildProgram>()(program, count, devices, options, notify, data);
}

cl_int hook_clCompileProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                             cl_uint header_count, const cl_program* headers, const char** header_names,
                             BuildNotify notify, void* data) {
    program_building(program);
    program_compiled(program, options, header_count, headers, header_names);
    return below<kEntry_clCompileProgram>()(program, count, devices, options, header_count, headers, header_names,
                                            notify, data);
}

cl_program hook_clLinkProgram(cl_context context, cl_uint count, const cl_device_id* devices, const char* options,
                              cl_uint part_count, const cl_program* parts, BuildNotify notify, void* data,
                              cl_int* status) {
    cl_program program =
        below<kEntry_clLinkProgram>()(context, count, devices, options, part_count, parts, notify, data, status);
    const KeepErrno keep;
    if (program != nullptr) program_linked(program, part_count, parts);
    return program;
}

cl_int hook_clRetainProgram(cl_program program) { return retain<kEntry_clRetainProgram>(program, program_retained); }

cl_int hook_clReleaseProgram(cl_program program) {
    program_releasing(program);
    return below<kEntry_clReleaseProgram>()(program);
}

cl_kernel hook_clCreateKernel(cl_program program, const char* name, cl_int* status) {
    cl_kernel kernel = below<kEntry_clCreateKernel>()(program, name, status);
    const KeepErrno keep;
    kernel_made(kernel, program);
    return kernel;
}

cl_int hook_clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel* kernels, cl_uint* count) {
    cl_uint made = 0;
    const cl_int code = below<kEntry_clCreateKernelsInProgram>()(program, room, kernels, &made);
    const KeepErrno keep;
    if (code == CL_SUCCESS && count != nullptr) *count = made;
    for (cl_uint i = 0; code == CL_SUCCESS && kernels != nullptr && i < made; ++i) kernel_made(kernels[i], program);
    return code;
}

cl_kernel hook_clCloneKernel(cl_kernel source, cl_int* status) {
    cl_kernel kernel = below<kEntry_clCloneKernel>()(source, status);
    const KeepErrno keep;
    kernel_cloned(kernel, source);
    return kernel;
}

cl_int hook_clRetainKernel(cl_kernel kernel) { return retain<kEntry_clRetainKernel>(kernel, kernel_retained); }

cl_int hook_clReleaseKernel(cl_kernel kernel) {
    kernel_releasing(kernel);
    return below<kEntry_clReleaseKernel>()(kernel);
}

cl_int hook_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
    const cl_int code = below<kEntry_clSetKernelArg>()(kernel, index, size, value);
    const KeepErrno keep;
    if (code == CL_SUCCESS) kernel_argument(kernel, index, size, value);
    return code;
}

cl_int hook_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* value) {
    const cl_int code = below<kEntry_clSetKernelArgSVMPointer>()(kernel, index, value);
    if (code == CL_SUCCESS) kernel_shares_memory(kernel);
    return code;
}

cl_int hook_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t size, const void* value) {
    const cl_int code = below<kEntry_clSetKernelExecInfo>()(kernel, what, size, value);
    if (code == CL_SUCCESS) kernel_shares_memory(kernel);
    return code;
}

cl_int hook_clRetainEvent(cl_event event) { return retain<kEntry_clRetainEvent>(event, xocl_times_retained); }

cl_int hook_clReleaseEvent(cl_event event) {
    const int saved = errno;
    xocl_times_releasing(event);
    errno = saved;
    return below<kEntry_clReleaseEvent>()(event);
}

// Tells the times of a guarded launch once the whole launch is complete, as for any command.
cl_int hook_clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void* value, size_t* needed) {
    const auto ask = below<kEntry_clGetEventProfilingInfo>();
    const cl_int code = ask(event, what, room, value, needed);
    cl_event told = code == CL_SUCCESS ? xocl_times_event(event, what) : nullptr;
    if (told == nullptr) return code;
    const cl_int its_code = ask(told, what, room, value, needed);
    below<kEntry_clReleaseEvent>()(told);
    return its_code;
}

void* guard_hook_of(uint32_t entry) {
    if (!guarding()) return nullptr;
    switch (entry) {
#define OPTION(option, name)                                                                               \
    case kEntry_##name: {                                                                                  \
        const decltype(cl_icd_dispatch::name) hook = hook_##name; /* a wrong signature does not compile */ \
        return reinterpret_cast<void*>(hook);                                                              \
    }
#include "entry_points.inc"
        default: return nullptr;
    }
}

}  // namespace xsched::opencl
