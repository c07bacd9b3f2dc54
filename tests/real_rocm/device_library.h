// The functions of ROCm's device library that HIP's headers want, for a compiler without it (hipcc.py). They are not
// executed.
#pragma once

#include <hip/hip_runtime.h>

extern "C" {
__device__ __attribute__((const)) size_t __ockl_get_local_id(unsigned) { return __builtin_amdgcn_workitem_id_x(); }
__device__ __attribute__((const)) size_t __ockl_get_group_id(unsigned) { return __builtin_amdgcn_workgroup_id_x(); }
__device__ __attribute__((const)) size_t __ockl_get_local_size(unsigned) { return __builtin_amdgcn_workgroup_size_x(); }
}
