#include "runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace busy {
namespace {

constexpr const char* kLibraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

void* open_library() {
    const char* named = std::getenv("XSCHED_HIP_LIB");
    if (named != nullptr && *named != '\0') return dlopen(named, RTLD_NOW);
    for (const char* name : kLibraries)
        if (void* library = dlopen(name, RTLD_NOW)) return library;
    return nullptr;
}

void* library() {
    static void* const handle = open_library();
    return handle;
}

Runtime open() {
    if (library() == nullptr)
        throw std::runtime_error(std::string("there is no HIP runtime (") + dlerror() + "): install ROCm's");
    Runtime found;
    const auto find = [](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(runtime_symbol(name));
        if (function == nullptr) throw std::runtime_error(std::string("the HIP runtime has no ") + name);
    };
#define BENCH_HIP_FIND(name, ...) find(found.name, #name);
    BENCH_HIP_DECLARED(BENCH_HIP_FIND)
    BENCH_HIP_OTHERS(BENCH_HIP_FIND)
#undef BENCH_HIP_FIND
    int count = 0;
    hip::hipError_t result = found.hipInit(0);
    if (result == hip::hipSuccess) result = found.hipGetDeviceCount(&count);
    if (result != hip::hipSuccess || count == 0)  // as Debian's library on a machine without an AMD GPU
        throw std::runtime_error("the HIP runtime finds no device: error " + std::to_string(result) + " (" +
                                 found.hipGetErrorName(result) + ")");
    return found;
}

}  // namespace

void* runtime_symbol(const char* name) {
    void* address = dlsym(RTLD_DEFAULT, name);
    return address != nullptr ? address : dlsym(library(), name);
}

const Runtime& runtime() {
    static const Runtime opened = open();
    return opened;
}

void check(hip::hipError_t result, const char* call) {
    if (result == hip::hipSuccess) return;
    const char* name = runtime().hipGetErrorName(result);
    throw std::runtime_error(std::string(call) + " failed with " + (name != nullptr ? name : "an unknown error") +
                             " (" + std::to_string(result) + ")");
}

std::string runtime_version() {
    int version = 0;
    check(runtime().hipRuntimeGetVersion(&version), "hipRuntimeGetVersion");
    return "HIP " + std::to_string(version / 10'000'000) + "." + std::to_string(version / 100'000 % 100) + "." +
           std::to_string(version % 100'000);
}

}  // namespace busy
