#include "platform/hip/shim/profiler.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "base/text.h"
#include "platform/hip/hal/hal_abi.h"
#include "platform/hip/shim/platform.h"

namespace xsched::hip {
namespace {

using SetApiTable = int (*)(const char*, uint64_t, uint64_t, void**, uint64_t);

constexpr size_t kPathBytes = 4096;

const char* variable(const char* name) {
    const char* value = secure_getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_on(const char* value) {
    return value != nullptr && !base::same_word(value, "0") && !base::same_word(value, "false") &&
           !base::same_word(value, "off") && !base::same_word(value, "no");
}

// Returns whether to load the profiler, decided as by rocprofiler-register: a variable names a tool or the library, or
// a tool is in the process.
bool profiler_is_wanted() {
    return variable("ROCP_TOOL_LIBRARIES") != nullptr || variable("ROCPROFILER_REGISTER_LIBRARY") != nullptr ||
           is_on(variable("ROCPROFILER_REGISTER_FORCE_LOAD")) ||
           stream::next_symbol("rocprofiler_configure") != nullptr;
}

// Copies the path of the loaded rocprofiler-register to `result`, a char[kPathBytes]; that library looks for the
// profiler beside itself first. Returns 1 to end the search.
int note_register(dl_phdr_info* info, size_t, void* result) {
    if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, "/librocprofiler-register.so") == nullptr) return 0;
    std::snprintf(static_cast<char*>(result), kPathBytes, "%s", info->dlpi_name);
    return 1;
}

void* open_beside_register(const char* name) {
    char path[kPathBytes] = "";
    dl_iterate_phdr(note_register, path);
    char* end = std::strrchr(path, '/');
    if (end == nullptr) return nullptr;
    const size_t room = sizeof path - static_cast<size_t>(end + 1 - path);
    if (std::snprintf(end + 1, room, "%s", name) >= static_cast<int>(room)) return nullptr;
    return dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
}

// Opens the library as rocprofiler-register does: first by the development packages' name, then by the releases' names
// (ROCm 7: 1, ROCm 6: 0). Early releases tried only the first (rocm-systems, pull request 10804).
void* open_profiler() {
    const char* chosen = variable("ROCPROFILER_REGISTER_LIBRARY");
    for (const char* name : {chosen, "librocprofiler-sdk.so", "librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0"}) {
        if (name == nullptr) continue;
        void* library = std::strchr(name, '/') == nullptr ? open_beside_register(name) : nullptr;
        if (library == nullptr) library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
        if (library != nullptr || name == chosen) return library;
    }
    return nullptr;
}

SetApiTable find_profiler() {
    constexpr const char* kFunction = "rocprofiler_set_api_table";
    if (void* next = stream::next_symbol(kFunction)) return reinterpret_cast<SetApiTable>(next);
    if (!profiler_is_wanted()) return nullptr;
    void* library = open_profiler();
    void* function = library != nullptr ? stream::hal_dlsym()(library, kFunction) : nullptr;
    if (function == nullptr)
        XLOG_WARN("the profiler that the environment asks for is not there: %s",
                  library != nullptr ? "its library has no rocprofiler_set_api_table" : dlerror());
    else
        XLOG_DEBG("the runtime's tables go to the profiler first");
    return reinterpret_cast<SetApiTable>(function);
}

// Returns the profiler's function; null: there is none. The search is made once, whatever its result. No lock is held
// while a library is opened.
SetApiTable profiler() {
    static constinit std::atomic<SetApiTable> found{nullptr};
    static constinit std::atomic<bool> looked{false};
    if (!looked.load(std::memory_order_acquire)) {
        found.store(find_profiler(), std::memory_order_relaxed);
        looked.store(true, std::memory_order_release);
    }
    return found.load(std::memory_order_relaxed);
}

}  // namespace

int pass_to_profiler(const char* name, uint64_t version, uint64_t instance, void** tables, uint64_t count) {
    const SetApiTable next = profiler();
    return next != nullptr ? next(name, version, instance, tables, count) : 0;
}

}  // namespace xsched::hip
