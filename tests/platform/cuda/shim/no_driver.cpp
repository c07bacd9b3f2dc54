// A program on a machine without a CUDA driver, with the shim preloaded: libcuda.so.1 can be opened where it could not
// before, and every one of its functions fails as cuInit does. Exit status 0: so it was.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "fake/cuda/cuda_driver.h"

namespace {

constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE

const char* const kNames[] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

template <typename Function>
Function find(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

bool expect(bool met, const char* what) {
    if (!met) std::printf("not as without a driver: %s\n", what);
    return met;
}

}  // namespace

int main() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr || dlsym(library, "cuXSchedShim") == nullptr) {
        std::puts("the shim is not loaded");
        return 1;
    }
    // Calls another function before cuInit, since any function may be a program's first one.
    void* address = &address;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    bool good = expect(find<decltype(&cuGetProcAddress_v2)>(library, "cuGetProcAddress_v2")("cuInit", &address, 12000,
                                                                                            0, &status) == kNoDevice,
                       "cuGetProcAddress_v2");
    good &= expect(address == nullptr && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "an address");
    int version = -1;
    good &= expect(
        find<decltype(&cuDriverGetVersion)>(library, "cuDriverGetVersion")(&version) == kNoDevice && version == 0,
        "cuDriverGetVersion");
    const char* text = nullptr;
    find<decltype(&cuGetErrorString)>(library, "cuGetErrorString")(CUDA_ERROR_UNKNOWN, &text);
    good &= expect(text != nullptr && std::strlen(text) > 0, "cuGetErrorString's text");
    for (const char* name : kNames) {
        void* places[6] = {};
        using Any = int (*)(void*, void*, void*, void*, void*, void*);
        const auto function = find<Any>(library, name);
        good &= expect(function != nullptr && function(&places[0], &places[1], &places[2], &places[3], &places[4],
                                                       &places[5]) == kNoDevice,
                       name);
    }
    return good ? 0 : 1;
}
