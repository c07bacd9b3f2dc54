// The empty kernel of launch_cost where kernels are PTX (CUDA, and what stands in for HIP's runtime).
#pragma once

namespace busy {

// Loaded as text, so that any driver compiles it for the device it finds.
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
