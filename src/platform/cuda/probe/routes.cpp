// The ways by which programs get at cuLaunchKernel.
#include "platform/stream/probe/routes.h"

#include <dlfcn.h>

#include "calls.h"

// As a program linked to the driver has it.
extern "C" [[gnu::weak]] int cuLaunchKernel();

namespace xsched::probe {
namespace {

void* by_proc_address() {
    void* function = nullptr;
    int status = 0;
    const int version = 12000;
    vendor::call("cuGetProcAddress_v2", vendor::kLaunch, &function, version, uint64_t{0}, &status);
    return function;
}

}  // namespace

std::vector<Route> routes() {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    return {{"linked", reinterpret_cast<void*>(&cuLaunchKernel)},
            {"dlsym", driver != nullptr ? dlsym(driver, vendor::kLaunch) : nullptr},
            {"cuGetProcAddress", by_proc_address()}};
}

}  // namespace xsched::probe
