// The examples' device.h on HIP.
#pragma once

#include <hip/hip_runtime.h>

using Stream = hipStream_t;

inline void check(hipError_t result, const char* call) {
    if (result == hipSuccess) return;
    fprintf(stderr, "%s failed: %s\n", call, hipGetErrorString(result));
    exit(1);
}
#define CHECK(call) check(call, #call)

// Each thread steps a number `steps` times.
__global__ void busy(uint32_t* numbers, uint32_t steps) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t x = numbers[i];
    for (uint32_t left = steps; left > 0; --left) x = x * 1664525u + 1013904223u;
    numbers[i] = x;
}

constexpr uint32_t kSteps = 50000;

inline void open_device() { CHECK(hipSetDevice(0)); }

inline Stream make_stream() {
    hipStream_t stream = nullptr;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return stream;
}

class Work {
public:
    explicit Work(Stream stream) : stream_(stream) {
        int processors = 0;
        CHECK(hipDeviceGetAttribute(&processors, hipDeviceAttributeMultiprocessorCount, 0));
        blocks_ = static_cast<unsigned>(processors) * 8;
        CHECK(hipMalloc(reinterpret_cast<void**>(&numbers_), blocks_ * kThreads * sizeof(uint32_t)));
        CHECK(hipMemsetAsync(numbers_, 1, blocks_ * kThreads * sizeof(uint32_t), stream_));
        wait();
    }
    void launch() {
        busy<<<dim3(blocks_), dim3(kThreads), 0, stream_>>>(numbers_, kSteps);
        CHECK(hipGetLastError());
    }
    void wait() { CHECK(hipStreamSynchronize(stream_)); }

private:
    static constexpr unsigned kThreads = 256;
    Stream stream_;
    uint32_t* numbers_ = nullptr;
    unsigned blocks_ = 0;
};
