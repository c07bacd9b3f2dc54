// The ways by which programs get at hipModuleLaunchKernel.
#include "platform/stream/probe/routes.h"

#include <dlfcn.h>

#include <cstdlib>

#include "calls.h"

// The launch function as the linker resolves it for a program that is linked to the runtime.
extern "C" [[gnu::weak]] int hipModuleLaunchKernel();

namespace xsched::probe {
namespace {

void* library() {
    const char* named = std::getenv("XSCHED_HIP_LIB");
    if (named != nullptr && *named != '\0') return dlopen(named, RTLD_NOW);
    for (const char* name : {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"})
        if (void* found = dlopen(name, RTLD_NOW)) return found;
    return nullptr;
}

}  // namespace

// The ways by which a program finds the launch function. The last one, dlvsym, finds the runtime's own function and not
// the shim's. XSched sees calls of it only through the table that the runtime hands out.
std::vector<Route> routes() {
    void* runtime = library();
    return {{"linked", reinterpret_cast<void*>(&hipModuleLaunchKernel)},
            {"dlsym", runtime != nullptr ? dlsym(runtime, vendor::kNames.launch) : nullptr},
            {"hipGetProcAddress", vendor::launch_by_proc_address()},
            {"table", runtime != nullptr ? dlvsym(runtime, vendor::kNames.launch, "hip_4.2") : nullptr}};
}

std::vector<const char*> functions_to_find() {
    return {"hipInit",
            "hipModuleLaunchKernel",
            "hipLaunchKernel",
            "hipExtModuleLaunchKernel",
            "hipMemcpy",
            "hipMemcpyAsync",
            "hipStreamCreateWithPriority",
            "hipStreamSynchronize",
            "hipStreamWaitValue32",
            "hipGraphLaunch",
            "hipGetProcAddress",
            "hipHostRegister",
            "hiprtcVersion",
            "hiprtcCreateProgram",
            "hiprtcGetErrorString",
            "hsa_init",
            "hsa_queue_create",
            "hsa_amd_queue_set_priority",
            "rocprofiler_set_api_table",
            "rocprofiler_register_library_api_table",
            "ioctl"};
}

void* runtime_library() { return library(); }

}  // namespace xsched::probe
