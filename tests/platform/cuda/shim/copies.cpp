// An ordinary CUDA program that does nothing but copy, on the NULL stream: copies [to|from] COUNT BYTES, then waits for
// the end of its input. No other program runs beside it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fake/cuda/cuda_driver.h"

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const bool to_device = strcmp(argv[1], "to") == 0;
    const int count = atoi(argv[2]);
    std::vector<unsigned char> host(static_cast<size_t>(atoi(argv[3])));
    CUdevice device = 0;
    CUcontext context = nullptr;
    CUdeviceptr memory = 0;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) return 3;
    if (cuCtxCreate_v2(&context, 0, device) != CUDA_SUCCESS) return 3;
    if (cuMemAlloc_v2(&memory, host.size()) != CUDA_SUCCESS) return 3;
    for (int i = 0; i < count; ++i) {
        const CUresult code = to_device ? cuMemcpyHtoD_v2(memory, host.data(), host.size())
                                        : cuMemcpyDtoH_v2(host.data(), memory, host.size());
        if (code != CUDA_SUCCESS) return 4;
    }
    puts("copied");
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
