// A stand-in of roctracer (ROCm 5 and 6): finds the HIP runtime that the process has loaded, by its handle and dlsym,
// registers itself there and counts calls by name.
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "fake/hip/fake_hip.h"

namespace {

std::mutex g_mutex;
std::map<std::string, unsigned>& calls() {
    static auto& it = *new std::map<std::string, unsigned>;
    return it;
}

int hear(uint32_t domain, uint32_t phase, void* call) {
    const std::lock_guard lock(g_mutex);
    if (domain == kFakeHipApi && phase == 1) ++calls()[static_cast<const char*>(call)];
    return 0;
}

void set_tracer(FakeTracer tracer) {
    void* runtime = dlopen(std::getenv("XSCHED_HIP_LIB"), RTLD_NOW | RTLD_NOLOAD);
    auto* const set = reinterpret_cast<void (*)(FakeTracer)>(dlsym(runtime, "hipRegisterTracerCallback"));
    if (set != nullptr) set(tracer);
    if (runtime != nullptr) dlclose(runtime);
}

}  // namespace

extern "C" {
void fake_roctracer_start() { set_tracer(hear); }
void fake_roctracer_stop() { set_tracer(nullptr); }
unsigned fake_roctracer_calls(const char* name) {
    const std::lock_guard lock(g_mutex);
    return calls()[name];
}
}
