// The work of kernels, by their name; a kernel of any other name runs and does nothing. Their OpenCL C, for platforms
// with a compiler, with i = get_global_id(0) (see order/opencl/kernels.h):
//   append(global uint* b, uint v)                          b[i] = b[i] * 31 + v
//   append_local(global uint* b, uint v, local uint* s)     the same
//   append_wide(global uint* b, uint8 v)                    the same with the sum of v
//   combine(global uint* b, global const uint* a, uint v)       b[i] = b[i] * 31 + a[i] + v
//   spin(uint us)                                           keeps the device busy for so long
//   noop()
#pragma once

#include <string>
#include <vector>

#include "fake/opencl/types.h"

namespace fake {

cl_int run_kernel(const std::string& name, const std::vector<Argument>& arguments, size_t items);
// Declarations of these kernels (names separated by ';'), for clCreateProgramWithBuiltInKernels.
std::string builtin_source(const std::string& names);

}  // namespace fake
