// Modules and libraries: every image has all built-in kernels. Kernels that PTX text has beside them do nothing.
#include <map>
#include <set>
#include <string>

#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"
#include "fake/cuda/launch.h"
#include "fake/cuda/live.h"

using namespace fake;

struct CUmod_st {
    Context* context = nullptr;  // nullptr: a library's kernels
    std::string text;            // of an image that is PTX
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<KernelObject>> kernels;  // under mutex

    CUmod_st(Context* its_context, const void* image) : context(its_context) {
        const auto* start = static_cast<const char*>(image);
        const bool is_text = *start == '\n' || *start == '.' || *start == '/';
        if (is_text) text = start;
    }
    CUresult find(const char* name, KernelObject** kernel) {
        const Builtin* builtin = builtin_named(name);
        if (builtin == nullptr && text.find(".entry " + std::string(name)) != std::string::npos)
            builtin = builtin_named("noop");
        if (builtin == nullptr) return CUDA_ERROR_NOT_FOUND;
        const std::lock_guard lock(mutex);
        auto& mine = kernels[name];
        if (mine == nullptr) mine = std::make_unique<KernelObject>(KernelObject{kMagicKernel, builtin, context, this});
        *kernel = mine.get();
        return CUDA_SUCCESS;
    }
};

namespace {

struct Modules {
    std::mutex mutex;
    std::set<CUmodule> all;  // under mutex
};
Modules& modules() {
    static Modules& it = *new Modules;
    return it;
}

CUmodule new_module(Context* context, const void* image) {
    auto* module = new CUmod_st(context, image);
    const std::lock_guard lock(modules().mutex);
    modules().all.insert(module);
    count_live("module", 1);
    return module;
}

void delete_module(CUmodule module) {
    const std::lock_guard lock(modules().mutex);
    if (modules().all.erase(module) == 0) return;
    delete module;
    count_live("module", -1);
}

CUresult load(CUmodule* module, const void* image) {
    if (module == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    *module = new_module(context, image);
    return CUDA_SUCCESS;
}

CUresult parameter_info(const KernelObject* kernel, size_t index, size_t* offset, size_t* size) {
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (index >= kernel->builtin->sizes.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel->builtin->offsets[index];
    if (size != nullptr) *size = kernel->builtin->sizes[index];
    return CUDA_SUCCESS;
}

}  // namespace

void fake::end_modules_of(Context& context) {
    const std::lock_guard lock(modules().mutex);
    for (auto it = modules().all.begin(); it != modules().all.end();) {
        const CUmodule module = *it;
        if (module->context != &context) {
            ++it;
            continue;
        }
        it = modules().all.erase(it);
        delete module;
        count_live("module", -1);
    }
}

extern "C" {

CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void* image) {
    FAKE_ENTRY();
    return load(module, image);
}
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int, CUjit_option*, void**) {
    FAKE_ENTRY();
    return load(module, image);
}
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    FAKE_ENTRY();
    return load(module, image);
}

CUresult CUDAAPI cuModuleUnload(CUmodule module) {
    FAKE_ENTRY();
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    FAKE_TRY(capture_forbids_unsafe_call());
    wait_for_all(ends_of(*module->context));
    delete_module(module);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    FAKE_ENTRY();
    return module->find(name, reinterpret_cast<KernelObject**>(function));
}

CUresult CUDAAPI cuLibraryLoadData(CUlibrary* library, const void* image, CUjit_option*, void**, unsigned int,
                                   CUlibraryOption*, void**, unsigned int) {
    FAKE_ENTRY();
    if (library == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *library = reinterpret_cast<CUlibrary>(new_module(nullptr, image));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLibraryUnload(CUlibrary library) {
    FAKE_ENTRY();
    FAKE_TRY(capture_forbids_unsafe_call());
    delete_module(reinterpret_cast<CUmodule>(library));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
    FAKE_ENTRY();
    return reinterpret_cast<CUmodule>(library)->find(name, reinterpret_cast<KernelObject**>(kernel));
}

CUresult CUDAAPI cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    FAKE_ENTRY();
    *function = reinterpret_cast<CUfunction>(kernel);
    return kernel_of(*function) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult CUDAAPI cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
    FAKE_ENTRY();
    return parameter_info(kernel_of(reinterpret_cast<CUfunction>(kernel)), index, offset, size);
}
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
    FAKE_ENTRY();
    return parameter_info(kernel_of(function), index, offset, size);
}

CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    FAKE_ENTRY();
    if (kernel_of(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncGetName(const char** name, CUfunction function) {
    FAKE_ENTRY();
    if (kernel_of(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *name = kernel_of(function)->builtin->name;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncGetModule(CUmodule* module, CUfunction function) {
    FAKE_ENTRY();
    if (kernel_of(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    *module = kernel_of(function)->module;
    return CUDA_SUCCESS;
}
}
