// The library that Nsight Compute 2025.3 preloads into a program (libcuda-injection.so), as far as it matters to a
// shim: it exports functions of the driver, answers each dlopen of libcuda.so and each dlsym for these names with its
// own, and calls the driver when it is loaded. It takes for the driver the library that dlopen really finds: the shim.
#include <dlfcn.h>

#include <cstring>
#include <initializer_list>

namespace {

using Dlopen = void* (*)(const char*, int);
using Dlsym = void* (*)(void*, const char*);
using Init = int (*)(unsigned);
using DriverVersion = int (*)(int*);

// Returns the C library's own function by dlvsym, which this library does not replace. glibc 2.34 moved these
// functions from libdl to libc, so they have another version there.
template <typename Function>
Function real(const char* name) {
    void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.34");
    for (const char* version : {"GLIBC_2.17", "GLIBC_2.2.5"})
        if (found == nullptr) found = dlvsym(RTLD_NEXT, name, version);
    return reinterpret_cast<Function>(found);
}

void* g_driver = nullptr;
Init g_init = nullptr;
DriverVersion g_version = nullptr;

}  // namespace

extern "C" {
[[gnu::visibility("default")]] int cuInit(unsigned flags) { return g_init != nullptr ? g_init(flags) : 999; }
[[gnu::visibility("default")]] int cuDriverGetVersion(int* version) {
    return g_version != nullptr ? g_version(version) : 999;
}
[[gnu::visibility("default")]] void* dlopen(const char* path, int flags) noexcept {
    const char* slash = path != nullptr ? strrchr(path, '/') : nullptr;
    const char* name = slash != nullptr ? slash + 1 : path;
    Dl_info self{};
    if (name != nullptr && strncmp(name, "libcuda.so", 10) == 0 && dladdr(reinterpret_cast<void*>(&real<Init>), &self))
        path = self.dli_fname;
    return real<Dlopen>("dlopen")(path, flags);
}
[[gnu::visibility("default")]] void* dlsym(void* library, const char* name) noexcept {
    if (strcmp(name, "cuInit") == 0) return reinterpret_cast<void*>(&cuInit);
    if (strcmp(name, "cuDriverGetVersion") == 0) return reinterpret_cast<void*>(&cuDriverGetVersion);
    void* found = real<Dlsym>("dlsym")(library, name);
    return found != nullptr || g_driver == nullptr ? found : real<Dlsym>("dlsym")(g_driver, name);
}
}

namespace {

[[gnu::constructor]] void attach() {
    g_driver = real<Dlopen>("dlopen")("libcuda.so.1", RTLD_NOW);
    const auto symbol = real<Dlsym>("dlsym");
    if (g_driver == nullptr) return;
    g_init = reinterpret_cast<Init>(symbol(g_driver, "cuInit"));
    g_version = reinterpret_cast<DriverVersion>(symbol(g_driver, "cuDriverGetVersion"));
    int version = 0;
    cuDriverGetVersion(&version);
}

}  // namespace
