#include "order/hip/functions.h"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

namespace hip {
namespace {

template <typename Function>
void find(Function& function, const char* name) {
    void* const theirs = dlsym(library(), name);  // a name that the runtime lacks may be one of the shim's
    void* const first = theirs != nullptr ? dlsym(RTLD_DEFAULT, name) : nullptr;
    function = reinterpret_cast<Function>(first != nullptr ? first : theirs);
}

const char* path() {
    for (const char* variable : {"FAKE_HIP_DIRECT", "XSCHED_HIP_LIB"})
        if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') return value;
    return "libamdhip64.so.6";
}

}  // namespace

void* library() {
    static void* const handle = dlopen(path(), RTLD_NOW);
    return handle;
}

const void* code_for(const void* image) {
    static const std::string& code = *new std::string([] {
        const char* path = std::getenv("ORDER_HIP_CODE");
        std::ifstream file(path != nullptr ? path : "", std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }());
    return code.empty() ? image : code.data();
}

const Functions& functions() {
    static const Functions it = [] {
        Functions all{};
#define FUNCTION(result, name, ...) find(all.name, #name);
#include "functions.inc"
#define FUNCTION(result, name, ...) find(all.name, #name);
#include "order/hip/other_functions.def"
#undef FUNCTION
        return all;
    }();
    return it;
}

}  // namespace hip
