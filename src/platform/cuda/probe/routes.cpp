// The ways by which programs reach cuLaunchKernel.
#include "platform/stream/probe/routes.h"

#include <dlfcn.h>

#include "calls.h"

// The launch function as the linker resolves it for a program that is linked to the driver.
extern "C" [[gnu::weak]] int cuLaunchKernel();

namespace xsched::probe {
std::vector<Route> routes() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    return {{"linked", reinterpret_cast<void*>(&cuLaunchKernel)},
            {"dlsym", driver != nullptr ? dlsym(driver, vendor::kNames.launch) : nullptr},
            {"cuGetProcAddress", vendor::launch_by_proc_address()}};
}

std::vector<const char*> functions_to_find() {
    return {"cuInit", "cuLaunchKernel", "cuLaunchKernelEx", "cuMemcpyDtoH_v2", "cuGraphLaunch", "cuGetProcAddress_v2"};
}

void* runtime_library() { return dlopen("libcuda.so.1", RTLD_NOW); }

}  // namespace xsched::probe
