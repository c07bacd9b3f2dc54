#include "driver.h"

#include <dlfcn.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace busy {
namespace {

constexpr int kCudaVersion = 12000;  // of the functions' signatures above
constexpr const char* kVersionFile = "/proc/driver/nvidia/version";

using GetProcAddress = CuResult (*)(const char* name, void** function, int version, uint64_t flags, int* status);

Driver open() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr)
        throw std::runtime_error(std::string("there is no CUDA driver (") + dlerror() + "): install NVIDIA's");
    void* lookup = dlsym(library, "cuGetProcAddress_v2");
    if (lookup == nullptr) lookup = dlsym(library, "cuGetProcAddress");  // without the last parameter, which it ignores
    if (lookup == nullptr) throw std::runtime_error("the CUDA driver is too old: version 11.3 or newer is needed");
    const auto get = reinterpret_cast<GetProcAddress>(lookup);
    Driver found;
    const auto find = [get](auto& function, const char* name) {
        void* address = nullptr;
        int status = 0;
        if (get(name, &address, kCudaVersion, 0, &status) != 0 || address == nullptr)
            throw std::runtime_error(std::string("the CUDA driver has no ") + name);
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    };
#define BENCH_CUDA_FIND(name, ...) find(found.name, #name);
    BENCH_CUDA_FUNCTIONS(BENCH_CUDA_FIND)
#undef BENCH_CUDA_FIND
    if (const CuResult result = found.cuInit(0); result != 0)
        throw std::runtime_error("the CUDA driver does not answer: cuInit returns " + std::to_string(result));
    return found;
}

// 580.159.04, say.
bool is_version(const std::string& word) {
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    return word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos &&
           is_digit(word.front()) && is_digit(word.back());
}

}  // namespace

const Driver& driver() {
    static const Driver opened = open();
    return opened;
}

void check(CuResult result, const char* call) {
    if (result == 0) return;
    const char* name = nullptr;
    if (driver().cuGetErrorName(result, &name) != 0 || name == nullptr) name = "an unknown error";
    throw std::runtime_error(std::string(call) + " failed with " + name + " (" + std::to_string(result) + ")");
}

std::string driver_version() {
    int version = 0;
    check(driver().cuDriverGetVersion(&version), "cuDriverGetVersion");
    std::string cuda = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    std::ifstream file(kVersionFile);
    std::string line;
    getline(file, line);
    std::istringstream words(line);
    for (std::string word; words >> word;)
        if (is_version(word)) return word + " (" + cuda + ")";
    return cuda;
}

}  // namespace busy
