#include "names.h"

#include <dlfcn.h>

#include <map>
#include <shared_mutex>

#include "emulator.h"

namespace {

// HSA's numbers (hsa_executable_symbol_info_t).
constexpr uint32_t kNameLength = 1, kName = 2, kKernelObject = 22;

std::shared_mutex g_mutex;
auto& g_names = *new std::map<uint64_t, std::string>;  // never destroyed: queues work until the end

using GetInfo = int (*)(uint64_t symbol, uint32_t what, void* value);

GetInfo the_librarys() {
    constexpr const char* kFunction = "hsa_executable_symbol_get_info";
    static const auto function = [] {
        void* found = dlsym(RTLD_NEXT, kFunction);
        void* library = found == nullptr ? dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD) : nullptr;
        return reinterpret_cast<GetInfo>(library != nullptr ? dlsym(library, kFunction) : found);
    }();
    if (function == nullptr) kfd::give_up("there is no %s behind the emulator", kFunction);
    return function;
}

void note(uint64_t symbol, uint64_t object) {
    uint32_t length = 0;
    if (the_librarys()(symbol, kNameLength, &length) != 0) return;
    std::string name(length, '\0');
    if (the_librarys()(symbol, kName, name.data()) != 0) return;
    const std::lock_guard lock(g_mutex);
    g_names[object] = name;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int hsa_executable_symbol_get_info(uint64_t symbol, uint32_t what,
                                                                             void* value) {
    const int result = the_librarys()(symbol, what, value);
    if (result == 0 && what == kKernelObject) note(symbol, *static_cast<uint64_t*>(value));
    return result;
}

std::string kfd::name_of_kernel(uint64_t object) {
    const std::shared_lock lock(g_mutex);
    const auto found = g_names.find(object);
    return found != g_names.end() ? found->second : "";
}
