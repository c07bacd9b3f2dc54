// The programs' kernels as code objects for AMD GPUs, for machines without hiprtc (cmake/amd_code.cmake). Neither HIP's
// headers nor its device library are needed. As kBusyPtx and kNothingPtx.
#define KERNEL extern "C" __attribute__((global))

KERNEL void busy(unsigned* state, unsigned steps) {
    unsigned index = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                     __builtin_amdgcn_workitem_id_x();
    unsigned x = state[index];
    for (; steps != 0; --steps) x = x * 1664525u + 1013904223u;
    state[index] = x;
}

KERNEL void nothing(void*, unsigned) {}
