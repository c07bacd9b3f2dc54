// A program on a machine without a CUDA driver, with the shim preloaded: libcuda.so.1 can be opened where it could not
// before, and its functions fail as the runtime expects it of a missing driver. Exit status 0: so it was.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "fake/cuda/cuda_driver.h"

namespace {
template <typename Function>
Function find(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}
}  // namespace

int main() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr || dlsym(library, "cuXSchedShim") == nullptr) {
        std::puts("the shim is not loaded");
        return 1;
    }
    // Not cuInit first: any function may be the first.
    void* address = &address;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUresult code = find<decltype(&cuGetProcAddress_v2)>(library, "cuGetProcAddress_v2")("cuInit", &address, 12000,
                                                                                               0, &status);
    int version = -1;
    bool as_expected = code == CUDA_ERROR_NOT_INITIALIZED && address == nullptr;
    as_expected &= find<decltype(&cuInit)>(library, "cuInit")(0) == 100;  // CUDA_ERROR_NO_DEVICE
    as_expected &= find<decltype(&cuDriverGetVersion)>(library, "cuDriverGetVersion")(&version) == CUDA_SUCCESS;
    as_expected &= version == 0;
    int count = 0;
    as_expected &= find<decltype(&cuDeviceGetCount)>(library, "cuDeviceGetCount")(&count) == CUDA_ERROR_NOT_INITIALIZED;
    const char* text = nullptr;
    find<decltype(&cuGetErrorString)>(library, "cuGetErrorString")(CUDA_ERROR_UNKNOWN, &text);
    as_expected &= text != nullptr && std::strlen(text) > 0;
    if (!as_expected) std::puts("a call did not fail as without a driver");
    return as_expected ? 0 : 1;
}
