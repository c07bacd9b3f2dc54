#include "order/cuda/driver.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace cuda {
namespace {

constexpr int kVersion = 12000;  // whose signatures cuda_functions.def has where there is a per-thread variant

void* open_library() {
    const char* direct = std::getenv("FAKE_CUDA_DIRECT");
    return dlopen(direct != nullptr && *direct != '\0' ? direct : "libcuda.so.1", RTLD_NOW);
}

template <typename Function>
void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library(), name));
}

std::string base_of(std::string name) {
    const size_t at = name.rfind("_v");
    return at != std::string::npos && at + 3 == name.size() ? name.substr(0, at) : name;
}

// Points the function at its per-thread variant, if it has one.
template <typename Function>
void find_per_thread(Function& function, const char* name) {
    void* plain = nullptr;
    void* per_thread = nullptr;
    const std::string base = base_of(name);
    const auto ask = [&](void** answer, cuuint64_t flags) {
        return api().cuGetProcAddress_v2(base.c_str(), answer, kVersion, flags, nullptr) == CUDA_SUCCESS;
    };
    if (ask(&plain, CU_GET_PROC_ADDRESS_LEGACY_STREAM) &&
        ask(&per_thread, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) && plain != per_thread)
        function = reinterpret_cast<Function>(per_thread);
}

}  // namespace

void* library() {
    static void* const handle = open_library();
    return handle;
}

const Api& api() {
    static const Api it = [] {
        Api found;
#define FAKE_CUDA_DECLARE(name, ...) find(found.name, #name);
#include "fake/cuda/cuda_functions.def"
#undef FAKE_CUDA_DECLARE
        return found;
    }();
    return it;
}

const Api& per_thread_api() {
    static const Api it = [] {
        Api found = api();
#define FAKE_CUDA_DECLARE(name, ...) find_per_thread(found.name, #name);
#include "fake/cuda/cuda_functions.def"
#undef FAKE_CUDA_DECLARE
        return found;
    }();
    return it;
}

bool available() {
    if (!is_opened(library(), "CUDA driver")) return false;
    int count = 0;
    const CUresult result = api().cuInit != nullptr ? api().cuInit(0) : CUDA_ERROR_NOT_FOUND;
    if (result == CUDA_SUCCESS && api().cuDeviceGetCount(&count) == CUDA_SUCCESS && count > 0) return true;
    std::fprintf(stderr, "no CUDA device: cuInit returned %d\n", static_cast<int>(result));
    return false;
}

void* fake_control(const char* name) {
    static void* const fake = [] {
        const char* direct = std::getenv("FAKE_CUDA_DIRECT");
        const char* path = direct != nullptr && *direct != '\0' ? direct : std::getenv("XSCHED_CUDA_LIB");
        return path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    }();
    return fake != nullptr ? dlsym(fake, name) : nullptr;
}

long fake_count(const char* name) {
    const auto control = reinterpret_cast<long (*)()>(fake_control(name));
    return control != nullptr ? control() : 0;
}

}  // namespace cuda
