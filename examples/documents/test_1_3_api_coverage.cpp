// Test 1.3 of the requirements: device count, malloc, memcpy, launch, stream create, synchronize and destroy, free. It
// is an ordinary HIP program: build it with `make`, run it natively and with LD_PRELOAD=.../libshimhip.so.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

namespace {

int g_failed = 0;

void report(const char* name, bool passed) {
    std::printf("[%s] %s\n", passed ? "PASS" : "FAIL", name);
    g_failed += passed ? 0 : 1;
}

bool well(hipError_t error) { return error == hipSuccess; }

__global__ void add_one(int* values, int count) {
    const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (at < count) values[at] += 1;
}

}  // namespace

int main() {
    constexpr int kCount = 1 << 16;
    constexpr size_t kBytes = kCount * sizeof(int);
    int devices = 0;
    report("hipGetDeviceCount", well(hipGetDeviceCount(&devices)) && devices > 0);
    std::vector<int> values(kCount, 41);
    int* memory = nullptr;
    hipStream_t stream = nullptr;
    report("hipMalloc", well(hipMalloc(reinterpret_cast<void**>(&memory), kBytes)));
    report("hipStreamCreate", well(hipStreamCreate(&stream)));
    report("hipMemcpy to the device", well(hipMemcpy(memory, values.data(), kBytes, hipMemcpyHostToDevice)));
    add_one<<<kCount / 256, 256, 0, stream>>>(memory, kCount);
    report("hipLaunchKernel", well(hipGetLastError()));
    report("hipStreamSynchronize", well(hipStreamSynchronize(stream)));
    report("hipMemcpy to the host", well(hipMemcpy(values.data(), memory, kBytes, hipMemcpyDeviceToHost)));
    bool right = true;
    for (const int value : values) right = right && value == 42;
    report("result", right);
    report("hipStreamDestroy", well(hipStreamDestroy(stream)));
    report("hipFree", well(hipFree(memory)));
    return g_failed == 0 ? 0 : 1;
}
