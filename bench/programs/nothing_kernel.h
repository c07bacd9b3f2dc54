// The empty kernel of launch_cost where kernels are PTX (CUDA, and what stands in for HIP's runtime).
#pragma once

namespace busy {

// The empty kernel as PTX text, so that any driver can compile it for its device.
constexpr const char* kNothingPtx = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry nothing(.param .u64 first, .param .u32 second)
{
    ret;
}
)";

}  // namespace busy
