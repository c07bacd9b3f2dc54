// The kernel of a BusyDevice where kernels are PTX (CUDA, and what stands in for HIP's runtime), and what it computes:
// each thread steps a linear congruential generator from its word and stores the result there.
#pragma once

#include <cstdint>

namespace busy {

constexpr uint32_t kMultiplier = 1664525;
constexpr uint32_t kIncrement = 1013904223;

// The busy kernel as PTX text, so that any driver can compile it for its device.
constexpr const char* kBusyPtx = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry busy(.param .u64 state, .param .u32 steps)
{
    .reg .pred %none, %more;
    .reg .b32 %thread, %block, %size, %index, %x, %left;
    .reg .b64 %base, %address;
    ld.param.u64 %base, [state];
    ld.param.u32 %left, [steps];
    mov.u32 %thread, %tid.x;
    mov.u32 %block, %ctaid.x;
    mov.u32 %size, %ntid.x;
    mad.lo.u32 %index, %block, %size, %thread;
    cvta.to.global.u64 %base, %base;
    mul.wide.u32 %address, %index, 4;
    add.u64 %address, %base, %address;
    ld.global.u32 %x, [%address];
    setp.eq.u32 %none, %left, 0;
    @%none bra end;
step:
    mad.lo.u32 %x, %x, 1664525, 1013904223;
    sub.u32 %left, %left, 1;
    setp.ne.u32 %more, %left, 0;
    @%more bra step;
end:
    st.global.u32 [%address], %x;
    ret;
}
)";

// `x` after `steps` generator steps: the step is composed with itself by squaring.
inline uint32_t stepped(uint32_t x, uint64_t steps) {
    uint32_t multiplier = kMultiplier, increment = kIncrement;
    for (; steps != 0; steps >>= 1) {
        if ((steps & 1) != 0) x = x * multiplier + increment;
        increment = increment * (multiplier + 1);
        multiplier *= multiplier;
    }
    return x;
}

}  // namespace busy
