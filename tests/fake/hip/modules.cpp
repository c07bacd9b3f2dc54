// Code: modules, and kernels that the compiler registers by their host function's address. Images are PTX.
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

// The argument of __hipRegisterFatBinary, and its result.
struct FatBinaryWrapper {
    uint32_t magic, version;
    const void* image;
    void* unused;
};
struct FatBinary {
    const void* image = nullptr;
    std::map<int, CUmodule> modules;  // by device
};
struct Registered {
    FatBinary* binary = nullptr;
    std::string name;
    std::map<int, CUfunction> kernels;  // by device
};
struct Code {
    std::mutex mutex;
    std::map<const void*, Registered> functions;
    std::map<FatBinary*, std::unique_ptr<FatBinary>> binaries;
};
Code& code() {
    static Code& it = *new Code;
    return it;
}

// FAKE_HIP_CODE=gfx942: behaves as AMD's runtime does on such a device, which takes only code objects for it. The
// content of an image does not matter: the fake device has built-in kernels, which it finds by name.
constexpr hipError_t kNoBinaryForGpu = 209;
bool takes(const void* image) {
    static const char* const processor = std::getenv("FAKE_HIP_CODE");
    if (processor == nullptr) return true;
    const auto* header = static_cast<const Elf64_Ehdr*>(image);
    constexpr uint32_t kMachineBits = 0xff, kGfx90a = 0x3f, kGfx942 = 0x4c;
    const uint32_t wanted = std::string_view(processor) == "gfx942"   ? kGfx942
                            : std::string_view(processor) == "gfx90a" ? kGfx90a
                                                                      : 0;
    return std::memcmp(image, ELFMAG, SELFMAG) == 0 && header->e_machine == EM_AMDGPU &&
           (header->e_flags & kMachineBits) == wanted;
}

CUmodule module_of(FatBinary& binary, int device) {
    CUmodule& module = binary.modules[device];
    const AnyCapture allowed;  // the first launch may be in a capture
    if (module == nullptr && cu().cuModuleLoadData(&module, binary.image) != CUDA_SUCCESS) module = nullptr;
    return module;
}

}  // namespace

// Returns the kernel for the current device.
CUfunction kernel_of(const void* function) {
    const int device = current_device();
    const std::lock_guard lock(code().mutex);
    const auto it = code().functions.find(function);
    if (it == code().functions.end()) return nullptr;
    CUfunction& kernel = it->second.kernels[device];
    if (kernel == nullptr) {
        CUmodule module = module_of(*it->second.binary, device);
        if (module == nullptr || cu().cuModuleGetFunction(&kernel, module, it->second.name.c_str()) != CUDA_SUCCESS)
            kernel = nullptr;
    }
    return kernel;
}

void unload_modules(int device) {
    const std::lock_guard lock(code().mutex);
    for (auto& it : code().functions) it.second.kernels.erase(device);
    for (auto& it : code().binaries) it.second->modules.erase(device);
}

}  // namespace hip_layer

using namespace hip_layer;

extern "C" void** __hipRegisterFatBinary(const void* data) {
    auto binary = std::make_unique<FatBinary>();
    FatBinary* handle = binary.get();
    handle->image = static_cast<const FatBinaryWrapper*>(data)->image;
    const std::lock_guard lock(code().mutex);
    code().binaries[handle] = std::move(binary);
    return reinterpret_cast<void**>(handle);
}
extern "C" void __hipUnregisterFatBinary(void** modules) {
    auto* binary = reinterpret_cast<FatBinary*>(modules);
    const std::lock_guard lock(code().mutex);
    std::erase_if(code().functions, [&](const auto& it) { return it.second.binary == binary; });
    if (code().binaries.count(binary) == 0) return;
    for (const auto& it : binary->modules) cu().cuModuleUnload(it.second);
    code().binaries.erase(binary);
}
extern "C" void __hipRegisterFunction(void** modules, const void* host_function, char*, const char* name, unsigned,
                                      void*, void*, void*, void*, int*) {
    const std::lock_guard lock(code().mutex);
    code().functions[host_function] = {reinterpret_cast<FatBinary*>(modules), name, {}};
}

extern "C" const char* hipKernelNameRefByPtr(const void* host_function, hipStream_t) {
    const std::lock_guard lock(code().mutex);
    const auto found = code().functions.find(host_function);
    return found != code().functions.end() ? found->second.name.c_str() : nullptr;
}
extern "C" const char* hipKernelNameRef(hipFunction_t function) {
    const char* name = nullptr;
    return cu().cuFuncGetName(&name, reinterpret_cast<CUfunction>(function)) == CUDA_SUCCESS ? name : nullptr;
}

HIP_FUNCTION(hipModuleLoadData, (hipModule_t * module, const void* image), (module, image)) {
    HIP_TRY(use_device(current_device()));
    if (!takes(image)) return kNoBinaryForGpu;
    return static_cast<hipError_t>(cu().cuModuleLoadData(reinterpret_cast<CUmodule*>(module), image));
}
HIP_FUNCTION(hipModuleUnload, (hipModule_t module), (module)) {
    return static_cast<hipError_t>(cu().cuModuleUnload(reinterpret_cast<CUmodule>(module)));
}
HIP_FUNCTION(hipModuleGetFunction, (hipFunction_t * function, hipModule_t module, const char* name),
             (function, module, name)) {
    return static_cast<hipError_t>(
        cu().cuModuleGetFunction(reinterpret_cast<CUfunction*>(function), reinterpret_cast<CUmodule>(module), name));
}
