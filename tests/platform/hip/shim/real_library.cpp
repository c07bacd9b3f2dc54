// On Debian's own libamdhip64 (5.2), which has no device here: linked to it, as programs are, with symbol versions; and
// by dlopen. With the shim preloaded, or in the library's place, everything answers as it does without.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <cstdio>
#include <cstring>

namespace {

int g_failures = 0;

void expect(bool truth, const char* what) {
    if (truth) return;
    std::printf("wrong: %s\n", what);
    ++g_failures;
}

}  // namespace

int main() {
    int count = -1;
    const hipError_t without_device = hipGetDeviceCount(&count);
    if (without_device == hipSuccess && count > 0) {
        std::printf("skipped: this machine has an AMD GPU\n");
        return 77;
    }
    expect(without_device == hipErrorNoDevice && count <= 0, "hipGetDeviceCount says that there is none");
    expect(std::strcmp(hipGetErrorName(without_device), "hipErrorNoDevice") == 0, "hipGetErrorName");
    void* memory = nullptr;
    expect(hipMalloc(&memory, 64) != hipSuccess && memory == nullptr, "hipMalloc fails");
    hipStream_t stream = nullptr;
    expect(hipStreamCreate(&stream) != hipSuccess, "hipStreamCreate fails");
    expect(hipLaunchKernel(reinterpret_cast<const void*>(&main), dim3(1), dim3(1), nullptr, 0, nullptr) != hipSuccess,
           "hipLaunchKernel fails");
    expect(hipDeviceSynchronize() != hipSuccess, "hipDeviceSynchronize fails");
    hipGetLastError();
    void* library = dlopen("libamdhip64.so.5", RTLD_NOW);
    expect(library != nullptr && dlsym(library, "hipModuleLaunchKernel") != nullptr, "the library opens by its name");
    std::printf("%d wrong\n", g_failures);
    return g_failures == 0 ? 0 : 1;
}
