#include "platform/hip/shim/no_driver.h"

#include <cstring>
#include <string_view>

#include "platform/hip/hal/api.h"

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

const char* text() { return "no HIP runtime is installed"; }
hipError_t text_into(hipError_t, const char** place) {
    if (place != nullptr) *place = text();
    return hipErrorNoDevice;
}

int no_device_number() { return -1; }

struct ChannelDesc {  // hipChannelFormatDesc, returned as it is
    int x, y, z, w, kind;
};
ChannelDesc no_channel() { return {}; }

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
                              {"hipDriverGetVersion", reinterpret_cast<void*>(&no_devices)},  // 0 as well
                              {"hipRuntimeGetVersion", reinterpret_cast<void*>(&no_devices)},
                              {"hipGetErrorName", reinterpret_cast<void*>(&text)},
                              {"hipGetErrorString", reinterpret_cast<void*>(&text)},
                              {"hiprtcGetErrorString", reinterpret_cast<void*>(&text)},
                              {"hipApiName", reinterpret_cast<void*>(&text)},
                              {"hipGetCmdName", reinterpret_cast<void*>(&text)},
                              {"hipKernelNameRef", reinterpret_cast<void*>(&text)},
                              {"hipKernelNameRefByPtr", reinterpret_cast<void*>(&text)},
                              {"hipDrvGetErrorName", reinterpret_cast<void*>(&text_into)},
                              {"hipDrvGetErrorString", reinterpret_cast<void*>(&text_into)},
                              {"hipGetStreamDeviceId", reinterpret_cast<void*>(&no_device_number)},
                              {"hipCreateChannelDesc", reinterpret_cast<void*>(&no_channel)},
                              {"hipGetProcAddress", reinterpret_cast<void*>(&no_address)},
                              {"hipGetProcAddress_spt", reinterpret_cast<void*>(&no_address)},
                              {"__hipPushCallConfiguration", reinterpret_cast<void*>(&no_device)},
                              {"__hipPopCallConfiguration", reinterpret_cast<void*>(&no_device)}};
    for (const Answer& answer : answers)
        if (std::strcmp(answer.name, name) == 0) return answer.function;
    if (std::string_view(name).starts_with("__")) return reinterpret_cast<void*>(&nothing);
    return reinterpret_cast<void*>(&no_device);
}

void* without_function() { return reinterpret_cast<void*>(&not_supported); }

}  // namespace xsched::hip
