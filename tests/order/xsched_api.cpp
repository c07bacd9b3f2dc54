#include "order/xsched_api.h"

#include <dlfcn.h>

#include <initializer_list>

namespace order {
namespace {

template <typename Function>
void find(Function& function, const char* name) {
    void* symbol = dlsym(RTLD_DEFAULT, name);
    for (const char* library : {"libhalopencl.so.1", "libpreempt.so.1"}) {
        if (symbol != nullptr) break;
        if (void* handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY); handle != nullptr) symbol = dlsym(handle, name);
    }
    function = reinterpret_cast<Function>(symbol);
}

}  // namespace

const XSched& xsched() {
    static const XSched it = [] {
        XSched found{};
        find(found.OclQueueGet, "OclQueueGet");
        find(found.XQueueGet, "XQueueGet");
        find(found.XQueueSuspend, "XQueueSuspend");
        find(found.XQueueResume, "XQueueResume");
        return found;
    }();
    return it;
}

}  // namespace order
