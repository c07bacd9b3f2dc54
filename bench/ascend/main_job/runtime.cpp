#include "runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace busy {
namespace {

void* open_library() {
    const char* chosen = std::getenv("XSCHED_ASCEND_LIB");
    for (const char* file : {chosen, "libascendcl.so", "/usr/local/Ascend/ascend-toolkit/latest/lib64/libascendcl.so",
                             "/usr/local/Ascend/cann/lib64/libascendcl.so"}) {
        void* library = file != nullptr && *file != '\0' ? dlopen(file, RTLD_NOW | RTLD_GLOBAL) : nullptr;
        if (library != nullptr) return library;
    }
    throw std::runtime_error(std::string("there is no CANN runtime (") + dlerror() +
                             "): install it, or name libascendcl.so with XSCHED_ASCEND_LIB");
}

Cann open() {
    Cann found;
    found.library = open_library();
#define BENCH_ACL_FIND(name, ...)                                                     \
    found.name = reinterpret_cast<decltype(found.name)>(dlsym(found.library, #name)); \
    if (found.name == nullptr) throw std::runtime_error("the CANN runtime has no " #name);
    BENCH_ACL_FUNCTIONS(BENCH_ACL_FIND)
#undef BENCH_ACL_FIND
    must(found.aclInit(nullptr), "aclInit");
    return found;
}

}  // namespace

const Cann& cann() {
    static const Cann opened = open();
    return opened;
}

void* cann_function(const char* name) { return dlsym(cann().library, name); }

void must(int code, const char* call) {
    if (code != 0) throw std::runtime_error(std::string(call) + " failed with CANN's code " + std::to_string(code));
}

}  // namespace busy
