// The kernels of the CUDA tests, as any driver compiles them. The fake driver has its own of the same names
// (fake/cuda/builtin_kernels.cpp says what each does).
#pragma once

namespace cuda {

inline constexpr const char* kKernels = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .entry append(.param .u64 append_b, .param .u32 append_v, .param .u32 append_n)
{
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [append_b]; ld.param.u32 %r1, [append_v]; ld.param.u32 %r2, [append_n];
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
    mad.lo.u32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r6, %r2;
    @%p1 ret;
    cvta.to.global.u64 %d2, %d1; mul.wide.u32 %d3, %r6, 4; add.u64 %d4, %d2, %d3;
    ld.global.u32 %r7, [%d4]; mad.lo.u32 %r8, %r7, 31, %r1; st.global.u32 [%d4], %r8;
    ret;
}

.visible .entry append_wide(.param .u64 wide_b, .param .align 4 .b8 wide_v[32], .param .u32 wide_n)
{
    .reg .pred %p<2>; .reg .b32 %r<17>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [wide_b]; ld.param.u32 %r2, [wide_n];
    ld.param.u32 %r9, [wide_v]; ld.param.u32 %r10, [wide_v+4]; ld.param.u32 %r11, [wide_v+8];
    ld.param.u32 %r12, [wide_v+12]; ld.param.u32 %r13, [wide_v+16]; ld.param.u32 %r14, [wide_v+20];
    ld.param.u32 %r15, [wide_v+24]; ld.param.u32 %r16, [wide_v+28];
    add.u32 %r1, %r9, %r10; add.u32 %r1, %r1, %r11; add.u32 %r1, %r1, %r12; add.u32 %r1, %r1, %r13;
    add.u32 %r1, %r1, %r14; add.u32 %r1, %r1, %r15; add.u32 %r1, %r1, %r16;
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
    mad.lo.u32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r6, %r2;
    @%p1 ret;
    cvta.to.global.u64 %d2, %d1; mul.wide.u32 %d3, %r6, 4; add.u64 %d4, %d2, %d3;
    ld.global.u32 %r7, [%d4]; mad.lo.u32 %r8, %r7, 31, %r1; st.global.u32 [%d4], %r8;
    ret;
}

.visible .entry mix(.param .u64 mix_to, .param .u64 mix_from, .param .u32 mix_v, .param .u32 mix_n)
{
    .reg .pred %p<2>; .reg .b32 %r<11>; .reg .b64 %d<8>;
    ld.param.u64 %d1, [mix_to]; ld.param.u64 %d2, [mix_from];
    ld.param.u32 %r1, [mix_v]; ld.param.u32 %r2, [mix_n];
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
    mad.lo.u32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r6, %r2;
    @%p1 ret;
    cvta.to.global.u64 %d3, %d1; cvta.to.global.u64 %d4, %d2; mul.wide.u32 %d5, %r6, 4;
    add.u64 %d6, %d3, %d5; add.u64 %d7, %d4, %d5;
    ld.global.u32 %r7, [%d6]; ld.global.u32 %r8, [%d7];
    mad.lo.u32 %r9, %r7, 31, %r8; add.u32 %r10, %r9, %r1; st.global.u32 [%d6], %r10;
    ret;
}

.visible .entry spin(.param .u32 spin_us)
{
    .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %d<6>;
    ld.param.u32 %r1, [spin_us]; mul.wide.u32 %d1, %r1, 1000;
    mov.u64 %d2, %globaltimer;
again:
    mov.u64 %d3, %globaltimer; sub.u64 %d4, %d3, %d2;
    setp.lt.u64 %p1, %d4, %d1;
    @%p1 bra again;
    ret;
}

.visible .entry noop()
{
    ret;
}
)";

}  // namespace cuda
