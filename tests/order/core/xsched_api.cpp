#include "order/core/xsched_api.h"

#include <dlfcn.h>

namespace order {

void* xsched_function(const char* hal_library, const std::string& name) {
    void* symbol = dlsym(RTLD_DEFAULT, name.c_str());
    for (const char* library : {hal_library, "libpreempt.so.1"}) {
        if (symbol != nullptr) break;
        if (void* handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY); handle != nullptr)
            symbol = dlsym(handle, name.c_str());
    }
    return symbol;
}

}  // namespace order
