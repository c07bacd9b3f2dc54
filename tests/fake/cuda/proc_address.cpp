// cuGetProcAddress: which exported symbol a name, a version and a stream flag mean; and what no list knows.
#include <dlfcn.h>

#include <cstring>
#include <string>

#include "fake/cuda/settings.h"

namespace {

struct Symbol {
    const char* base;
    const char* exported;
    int version;  // of CUDA that has it
    bool per_thread;
};
constexpr Symbol kSymbols[] = {
#define FAKE_SYMBOL(base, exported, version) {#base, #exported, version, false},
#define FAKE_PER_THREAD_SYMBOL(base, exported, version) {#base, #exported, version, true},
#include "fake/cuda/symbols.def"
};

// A function that an invented later CUDA changes: cuGetProcAddress returns for its name an address that no export
// has.
constexpr const char* kChangedName = "cuMemsetD8Async";
constexpr int kChangedVersion = 99000;
CUresult changed_memset(CUdeviceptr, unsigned char, size_t, CUstream, int) { return CUDA_ERROR_NOT_SUPPORTED; }

void* own_symbol(const char* name) {
    static void* const self = [] {
        Dl_info info{};
        dladdr(reinterpret_cast<const void*>(&changed_memset), &info);
        return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }();
    return dlsym(self, name);
}

// Finds the function that cuGetProcAddress returns for a name: the newest variant that this CUDA version has, the
// per-thread one first if it is wanted.
const Symbol* find(const char* base, int version, bool per_thread, bool* known) {
    const Symbol* best = nullptr;
    for (const Symbol& it : kSymbols) {
        if (std::strcmp(it.base, base) != 0) continue;
        *known = true;
        if (it.version > version || (it.per_thread && !per_thread)) continue;
        if (best == nullptr || it.per_thread > best->per_thread ||
            (it.per_thread == best->per_thread && it.version > best->version))
            best = &it;
    }
    return best;
}

CUresult look_up(const char* name, void** function, int version, cuuint64_t flags,
                 CUdriverProcAddressQueryResult* status) {
    bool known = false;
    const Symbol* symbol = find(name, version, (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0, &known);
    *function = symbol != nullptr ? own_symbol(symbol->exported) : nullptr;
    if (std::strcmp(name, kChangedName) == 0 && version >= kChangedVersion)
        *function = reinterpret_cast<void*>(&changed_memset);
    if (status != nullptr) {
        *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known              ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
        return CUDA_SUCCESS;
    }
    return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

size_t export_answer(size_t question) { return question + 0x5eed; }

}  // namespace

extern "C" {

CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult* status) {
    FAKE_ENTRY_EARLY();
    if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return look_up(name, function, version, flags, status);
}
CUresult CUDAAPI cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
    FAKE_ENTRY_EARLY();
    if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return look_up(name, function, version, flags, nullptr);
}

// The private tables of the driver: every id gets the same table, which has its size and a function that adds 0x5eed.
CUresult CUDAAPI cuGetExportTable(const void** table, const CUuuid* id) {
    FAKE_ENTRY_EARLY();
    if (table == nullptr || id == nullptr) return CUDA_ERROR_INVALID_VALUE;
    static const void* const kTable[2] = {reinterpret_cast<const void*>(sizeof(void*) * 2),
                                          reinterpret_cast<const void*>(&export_answer)};
    *table = static_cast<const void*>(kTable);
    return CUDA_SUCCESS;
}

// Functions of a future CUDA: one that looks like work, and one that does not.
CUresult CUDAAPI cuFutureThing(int* answer) {
    FAKE_ENTRY_EARLY();
    *answer = 4711;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFutureCopyAsync(int* answer) { return cuFutureThing(answer); }
}
