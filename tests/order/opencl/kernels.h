// The OpenCL C source of the order checker's kernels. The fake platform implements them by name
// (fake/opencl/builtin_kernels.h).
#pragma once

namespace order::opencl {

inline constexpr const char* kKernelSource = R"(
__kernel void append(__global uint* b, uint v) {
    size_t i = get_global_id(0);
    b[i] = b[i] * 31 + v;
}
__kernel void append_local(__global uint* b, uint v, __local uint* s) {
    size_t i = get_global_id(0);
    s[get_local_id(0)] = v;
    b[i] = b[i] * 31 + s[get_local_id(0)];
}
__kernel void append_wide(__global uint* b, uint8 v) {
    size_t i = get_global_id(0);
    b[i] = b[i] * 31 + v.s0 + v.s1 + v.s2 + v.s3 + v.s4 + v.s5 + v.s6 + v.s7;
}
__kernel void combine(__global uint* b, __global const uint* a, uint v) {
    size_t i = get_global_id(0);
    b[i] = b[i] * 31 + a[i] + v;
}
)";

}  // namespace order::opencl
