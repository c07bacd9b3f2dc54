// The examples' device.h on the CUDA driver.
#pragma once

#include <cuda.h>

using Stream = CUstream;

inline void check(CUresult result, const char* call) {
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "%s failed with CUDA error %d\n", call, static_cast<int>(result));
    exit(1);
}
#define CHECK(call) check(call, #call)

// Each thread steps a number `steps` times. As text, so that the driver compiles it for the device it finds.
inline const char* kKernel = R"(
.version 6.0
.target sm_30
.address_size 64
.visible .entry busy(.param .u64 numbers, .param .u32 steps)
{
    .reg .pred %more;
    .reg .b32 %block, %size, %thread, %i, %x, %left;
    .reg .b64 %at, %offset;
    ld.param.u64 %at, [numbers];
    ld.param.u32 %left, [steps];
    mov.u32 %block, %ctaid.x;
    mov.u32 %size, %ntid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.u32 %i, %block, %size, %thread;
    mul.wide.u32 %offset, %i, 4;
    cvta.to.global.u64 %at, %at;
    add.u64 %at, %at, %offset;
    ld.global.u32 %x, [%at];
again:
    mad.lo.u32 %x, %x, 1664525, 1013904223;
    sub.u32 %left, %left, 1;
    setp.gt.s32 %more, %left, 0;
    @%more bra again;
    st.global.u32 [%at], %x;
    ret;
}
)";

constexpr uint32_t kSteps = 50000;

inline void open_device() {
    CUdevice device = 0;
    CUcontext context = nullptr;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
}

inline Stream make_stream() {
    CUstream stream = nullptr;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

class Work {
public:
    explicit Work(Stream stream) : stream_(stream) {
        CUmodule module = nullptr;
        int processors = 0;
        CHECK(cuModuleLoadData(&module, kKernel));
        CHECK(cuModuleGetFunction(&kernel_, module, "busy"));
        CHECK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
        blocks_ = static_cast<unsigned>(processors) * 8;
        CHECK(cuMemAlloc(&numbers_, blocks_ * kThreads * sizeof(uint32_t)));
        CHECK(cuMemsetD32Async(numbers_, 1, blocks_ * kThreads, stream_));
        wait();
    }
    void launch() {
        uint32_t steps = kSteps;
        void* parameters[] = {&numbers_, &steps};
        CHECK(cuLaunchKernel(kernel_, blocks_, 1, 1, kThreads, 1, 1, 0, stream_, parameters, nullptr));
    }
    void wait() { CHECK(cuStreamSynchronize(stream_)); }

private:
    static constexpr unsigned kThreads = 256;
    Stream stream_;
    CUfunction kernel_ = nullptr;
    CUdeviceptr numbers_ = 0;
    unsigned blocks_ = 0;
};
