#include "platform/stream/shim/no_driver.h"

#include <cstring>
#include <string_view>

#include "platform/hip/hal/api.h"

namespace xsched::stream {
namespace {

using namespace hip;

hipError_t no_device() { return hipErrorNoDevice; }
hipError_t not_supported() { return hipErrorNotSupported; }
// The answer of functions that the initializers of compiled programs call: they only pass the returned pointer on to
// the next such call.
void* nothing() { return nullptr; }

hipError_t no_devices(int* count) {
    if (count != nullptr) *count = 0;
    return hipErrorNoDevice;
}

const char* text() { return "no HIP runtime is installed"; }
const char* lacking() { return "this version of the HIP runtime lacks the function"; }

bool gives_text(std::string_view name) {
    for (const std::string_view other : {"hipGetErrorName", "hipGetErrorString", "hiprtcGetErrorString", "hipApiName",
                                         "hipGetCmdName", "hipKernelNameRef", "hipKernelNameRefByPtr"})
        if (name == other) return true;
    return false;
}

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

}  // namespace

void* without_driver(const char* name) {
    const Answer answers[] = {
        answer("hipGetDeviceCount", &no_devices),       answer("hipDriverGetVersion", &no_devices),  // 0 as well
        answer("hipRuntimeGetVersion", &no_devices),    answer("hipDrvGetErrorName", &text_into),
        answer("hipDrvGetErrorString", &text_into),     answer("hipGetStreamDeviceId", &no_device_number),
        answer("hipCreateChannelDesc", &no_channel),    answer("hipGetProcAddress", &no_address),
        answer("hipGetProcAddress_spt", &no_address),   answer("__hipPushCallConfiguration", &no_device),
        answer("__hipPopCallConfiguration", &no_device)};
    if (void* found = find_answer(answers, name)) return found;
    if (gives_text(name)) return reinterpret_cast<void*>(&text);
    if (std::string_view(name).starts_with("__")) return reinterpret_cast<void*>(&nothing);
    return reinterpret_cast<void*>(&no_device);
}

// Returns what stands for a function of the missing runtime. A function that returns text gives a text, since programs
// print it without a check for null.
void* without_function(const char* name) {
    return gives_text(name) ? reinterpret_cast<void*>(&lacking) : reinterpret_cast<void*>(&not_supported);
}

}  // namespace xsched::stream
