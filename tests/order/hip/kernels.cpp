// Libraries, whose kernels are known by host functions that are registered as the compiler does it, and launches.
#include <cstring>
#include <memory>
#include <vector>

#include "order/hip/calls.h"

namespace cuda {
namespace {

struct HostLibrary {
    static constexpr size_t kMost = 8;
    void** modules = nullptr;
    char functions[kMost] = {};  // their addresses count
    size_t count = 0;
};
struct FatBinary {
    uint32_t magic, version;
    const void* image;
    void* unused;
};
std::vector<std::unique_ptr<HostLibrary>>& libraries() {
    static auto& it = *new std::vector<std::unique_ptr<HostLibrary>>;
    return it;
}

CUresult load_library(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                      unsigned) {
    static std::vector<std::unique_ptr<FatBinary>>& binaries = *new std::vector<std::unique_ptr<FatBinary>>;
    binaries.push_back(std::make_unique<FatBinary>(FatBinary{0x48495046, 1, hip::code_for(image), nullptr}));
    libraries().push_back(std::make_unique<HostLibrary>());
    HostLibrary& made = *libraries().back();
    made.modules = h().__hipRegisterFatBinary(binaries.back().get());
    *library = reinterpret_cast<CUlibrary>(&made);
    return CUDA_SUCCESS;
}
CUresult library_kernel(CUkernel* kernel, CUlibrary handle, const char* name) {
    auto& library = *reinterpret_cast<HostLibrary*>(handle);
    char* function = &library.functions[library.count++];
    h().__hipRegisterFunction(library.modules, function, const_cast<char*>(name), name, -1u, nullptr, nullptr, nullptr,
                              nullptr, nullptr);
    *kernel = reinterpret_cast<CUkernel>(function);
    return CUDA_SUCCESS;
}
CUresult unload_library(CUlibrary library) {
    h().__hipUnregisterFatBinary(reinterpret_cast<HostLibrary*>(library)->modules);
    return CUDA_SUCCESS;
}

}  // namespace

bool is_host_function(CUfunction function) {
    const auto* address = reinterpret_cast<const char*>(function);
    for (const auto& it : libraries())
        if (address >= it->functions && address < it->functions + HostLibrary::kMost) return true;
    return false;
}

hipError_t launch_host_function(const Kernel& it, bool per_thread) {
    const void* function = it.function;
    if (it.extra != nullptr && may_be_configured(it.stream)) {  // the arguments are set up one after the other
        const hipError_t code = h().hipConfigureCall(it.grid, it.block, it.shared, it.stream);
        if (code != hipSuccess) return code;
        h().hipSetupArgument(it.extra[1], *static_cast<size_t*>(it.extra[3]), 0);
        return h().hipLaunchByPtr(function);
    }
    auto* packed = it.extra != nullptr ? static_cast<char*>(it.extra[1]) : nullptr;
    void* unpacked[] = {packed, packed + 8, packed + 12};  // of `append`, the one that is launched so
    void** const arguments = packed != nullptr ? unpacked : it.arguments;
    hipLaunchParams several{const_cast<void*>(function), it.grid, it.block, arguments, it.shared, it.stream};
    switch (turn() % 4) {
        case 0:
            return h().hipExtLaunchKernel(function, it.grid, it.block, arguments, it.shared, it.stream, nullptr,
                                          nullptr, 0);
        case 1:
            if (may_be_listed(it.stream)) return h().hipExtLaunchMultiKernelMultiDevice(&several, 1, 0);
            [[fallthrough]];
        default:
            if (!per_thread) return h().hipLaunchKernel(function, it.grid, it.block, arguments, it.shared, it.stream);
            return h().hipLaunchKernel_spt(function, it.grid, it.block, arguments, it.shared, it.stream);
    }
}

hipError_t launch_module_function(const Kernel& it) {
    const auto function = reinterpret_cast<hipFunction_t>(it.function);
    void* extra[5] = {};
    if (it.extra != nullptr) std::memcpy(extra, it.extra, 4 * sizeof(void*));
    extra[4] = reinterpret_cast<void*>(3);
    void** given = it.extra != nullptr ? extra : nullptr;
    const dim3 threads{it.grid.x * it.block.x, it.grid.y * it.block.y, it.grid.z * it.block.z};
    switch (may_be_configured(it.stream) ? turn() % 4 : 2) {
        case 0:
            return h().hipExtModuleLaunchKernel(function, threads.x, threads.y, threads.z, it.block.x, it.block.y,
                                                it.block.z, it.shared, it.stream, it.arguments, given, nullptr, nullptr,
                                                0);
        case 1:
            return h().hipHccModuleLaunchKernel(function, threads.x, threads.y, threads.z, it.block.x, it.block.y,
                                                it.block.z, it.shared, it.stream, it.arguments, given, nullptr,
                                                nullptr);
        default:
            return h().hipModuleLaunchKernel(function, it.grid.x, it.grid.y, it.grid.z, it.block.x, it.block.y,
                                             it.block.z, it.shared, it.stream, it.arguments, given);
    }
}

void fill_libraries(Api& api) {
    api.cuLibraryLoadData = load_library;
    api.cuLibraryGetKernel = library_kernel;
    api.cuLibraryUnload = unload_library;
}

}  // namespace cuda
