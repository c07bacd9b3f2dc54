// Level 2 in the shim: which of the program's programs and kernel objects have guarded twins, and what their arguments
// are. A guarded kernel is launched in place of the program's own. Nothing of this is hooked unless guarding() is true.
// Threads as for the OpenCL calls that lead here.
#pragma once

#include "platform/opencl/shim/entry_points.h"

namespace xsched::opencl {

// Returns whether kernels get guards (XSCHED_AUTO_XQUEUE_LEVEL=2 or 3). The answer never changes.
bool guarding();

// --- programs (guard_objects.cpp)
void program_made(cl_program program);
void program_compiled(cl_program program, const char* options, cl_uint count, const cl_program* headers,
                      const char** header_names);
void program_linked(cl_program program, cl_uint count, const cl_program* parts);
// Call before the program is built or compiled (again): what was made from it becomes invalid.
void program_building(cl_program program);
void program_retained(cl_program program);
void program_releasing(cl_program program);

// --- kernel objects
void kernel_made(cl_kernel kernel, cl_program program);
void kernel_cloned(cl_kernel kernel, cl_kernel source);
void kernel_retained(cl_kernel kernel);
void kernel_releasing(cl_kernel kernel);
// Notes that the driver took this argument of the kernel.
void kernel_argument(cl_kernel kernel, cl_uint index, size_t size, const void* value);
// Notes that the kernel uses shared virtual memory: the host may communicate with the running kernel, or free memory
// that it needs.
void kernel_shares_memory(cl_kernel kernel);

// --- launches (guard_launch.cpp). As Callee of Enqueue.
struct GuardedNDRange {
    using Type = Declared<kEntry_clEnqueueNDRangeKernel>::Type;
    static constexpr const char* kName = Declared<kEntry_clEnqueueNDRangeKernel>::kName;
    static constexpr CopyBytes kCopy = CopyBytes::kNone;
    static Type driver();
    // Notes that the launch succeeded. `event`: the one that the program got; nullptr: it wanted none.
    static void launched(cl_event event);
};

}  // namespace xsched::opencl
