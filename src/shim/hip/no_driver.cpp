#include "shim/hip/no_driver.h"

#include <cstring>
#include <string_view>

#include "device/hip/hip_api.h"

namespace xsched::hip {
namespace {

hipError_t no_device() { return hipErrorNoDevice; }
hipError_t not_supported() { return hipErrorNotSupported; }
// Called by programs' initializers, which take what it returns to the next call and look at nothing.
void* nothing() { return nullptr; }

hipError_t no_devices(int* count) {
    if (count != nullptr) *count = 0;
    return hipErrorNoDevice;
}

hipError_t no_version(int* version) {
    if (version != nullptr) *version = 0;
    return hipSuccess;
}

hipError_t nothing_wrong() { return hipSuccess; }
const char* error_text(hipError_t) { return "no HIP runtime is installed"; }

hipError_t no_address(const char*, void** address) {
    if (address != nullptr) *address = nullptr;
    return hipErrorNoDevice;
}

struct Answer {
    const char* name;
    void* function;
};

}  // namespace

void* without_driver(const char* name) {
    const Answer answers[] = {{"hipGetDeviceCount", reinterpret_cast<void*>(&no_devices)},
                              {"hipDriverGetVersion", reinterpret_cast<void*>(&no_version)},
                              {"hipRuntimeGetVersion", reinterpret_cast<void*>(&no_version)},
                              {"hipGetErrorName", reinterpret_cast<void*>(&error_text)},
                              {"hipGetErrorString", reinterpret_cast<void*>(&error_text)},
                              {"hipGetLastError", reinterpret_cast<void*>(&nothing_wrong)},
                              {"hipPeekAtLastError", reinterpret_cast<void*>(&nothing_wrong)},
                              {"hipGetProcAddress", reinterpret_cast<void*>(&no_address)},
                              {"hipGetProcAddress_spt", reinterpret_cast<void*>(&no_address)}};
    for (const Answer& answer : answers)
        if (std::strcmp(answer.name, name) == 0) return answer.function;
    if (std::string_view(name).starts_with("__")) return reinterpret_cast<void*>(&nothing);
    return reinterpret_cast<void*>(&no_device);
}

void* without_function() { return reinterpret_cast<void*>(&not_supported); }

}  // namespace xsched::hip
