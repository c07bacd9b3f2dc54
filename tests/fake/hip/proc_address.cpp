// Functions by name: the exported ones, as the runtime finds them in its own library.
#include <dlfcn.h>

#include <string>

#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

void* own_symbol(const std::string& name) {
    static void* const self = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<const void*>(&own_symbol), &info);
        return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    return dlsym(self, name.c_str());
}

hipError_t look_up(const char* name, void** function, bool per_thread, int* status) {
    if (name == nullptr || function == nullptr) return hipErrorInvalidValue;
    *function = per_thread ? own_symbol(std::string(name) + "_spt") : nullptr;
    if (*function == nullptr) *function = own_symbol(name);
    if (status != nullptr) *status = *function != nullptr ? 0 : 1;
    return *function != nullptr ? hipSuccess : hipErrorInvalidValue;
}

}  // namespace
}  // namespace hip_layer

HIP_FUNCTION(hipGetProcAddress, (const char* name, void** function, int, uint64_t flags, int* status),
             (name, function, 0, flags, status)) {
    return look_up(name, function, (flags & hipEnablePerThreadDefaultStream) != 0, status);
}
HIP_FUNCTION(hipGetProcAddress_spt, (const char* name, void** function, int, uint64_t, int* status),
             (name, function, 0, 0, status)) {
    return look_up(name, function, true, status);
}
HIP_FUNCTION(hipGetDriverEntryPoint, (const char* name, void** function, unsigned long long flags, int* status),
             (name, function, flags, status)) {
    return look_up(name, function, (flags & hipEnablePerThreadDefaultStream) != 0, status);
}
