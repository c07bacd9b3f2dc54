#include "order/hip/functions.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>

namespace hip {
namespace {

template <typename Function>
void find(Function& function, const char* name) {
    void* address = dlsym(RTLD_DEFAULT, name);
    function = reinterpret_cast<Function>(address != nullptr ? address : dlsym(library(), name));
}

const char* path() {
    for (const char* variable : {"FAKE_HIP_DIRECT", "XSCHED_HIP_LIB"})
        if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return value;
    return "libamdhip64.so.6";
}

}  // namespace

void* library() {
    static void* const handle = dlopen(path(), RTLD_NOW);
    return handle;
}

const Functions& functions() {
    static const Functions it = [] {
        Functions all{};
#define FUNCTION(result, name, ...) find(all.name, #name);
#include "functions.inc"
        find(all.hipInit, "hipInit");
        find(all.hipDeviceGetName, "hipDeviceGetName");
        find(all.hipModuleLoadData, "hipModuleLoadData");
        find(all.hipModuleGetFunction, "hipModuleGetFunction");
        find(all.hipSetupArgument, "hipSetupArgument");
        find(all.hipEventElapsedTime, "hipEventElapsedTime");
        find(all.hipGraphExecUpdate, "hipGraphExecUpdate");
        find(all.hipGraphDestroy, "hipGraphDestroy");
        find(all.hipGraphExecDestroy, "hipGraphExecDestroy");
        find(all.hipGraphGetNodes, "hipGraphGetNodes");
        find(all.__hipRegisterFatBinary, "__hipRegisterFatBinary");
        find(all.__hipUnregisterFatBinary, "__hipUnregisterFatBinary");
        find(all.__hipRegisterFunction, "__hipRegisterFunction");
        return all;
    }();
    return it;
}

}  // namespace hip
