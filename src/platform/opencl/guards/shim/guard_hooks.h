// The hooks that level 2 adds (shim/guards.h): they keep up with the program's programs, kernel objects and events.
// Below XSCHED_AUTO_XQUEUE_LEVEL=2 they are not put in, and calls go straight to the driver.
#pragma once

#include "platform/opencl/shim/entry_points.h"

namespace xsched::opencl {

using BuildNotify = void(CL_CALLBACK*)(cl_program, void*);

cl_program hook_clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts, const size_t* lengths,
                                          cl_int* status);
cl_int hook_clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                           BuildNotify notify, void* data);
cl_int hook_clCompileProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                             cl_uint header_count, const cl_program* headers, const char** header_names,
                             BuildNotify notify, void* data);
cl_program hook_clLinkProgram(cl_context context, cl_uint count, const cl_device_id* devices, const char* options,
                              cl_uint part_count, const cl_program* parts, BuildNotify notify, void* data,
                              cl_int* status);
cl_int hook_clRetainProgram(cl_program program);
cl_int hook_clReleaseProgram(cl_program program);
cl_kernel hook_clCreateKernel(cl_program program, const char* name, cl_int* status);
cl_int hook_clCreateKernelsInProgram(cl_program program, cl_uint room, cl_kernel* kernels, cl_uint* count);
cl_kernel hook_clCloneKernel(cl_kernel source, cl_int* status);
cl_int hook_clRetainKernel(cl_kernel kernel);
cl_int hook_clReleaseKernel(cl_kernel kernel);
cl_int hook_clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value);
cl_int hook_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* value);
cl_int hook_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info what, size_t size, const void* value);
cl_int hook_clRetainEvent(cl_event event);
cl_int hook_clReleaseEvent(cl_event event);
cl_int hook_clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void* value, size_t* needed);

}  // namespace xsched::opencl
