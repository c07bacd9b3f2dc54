#include "order_cuda/xsched_api.h"

#include <dlfcn.h>

#include <initializer_list>

namespace cuda {
namespace {

// HIP's order checker is this one with HIP's queues in the place of CUDA's.
#ifdef ORDER_ON_HIP
constexpr const char* kHalLibrary = "libhalhip.so.1";
#define ORDER_HAL_PREFIX "Hip"
#else
constexpr const char* kHalLibrary = "libhalcuda.so.1";
#define ORDER_HAL_PREFIX "Cuda"
#endif

template <typename Function>
void find(Function& function, const char* name) {
    void* symbol = dlsym(RTLD_DEFAULT, name);
    for (const char* library : {kHalLibrary, "libpreempt.so.1"}) {
        if (symbol != nullptr) break;
        if (void* handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY); handle != nullptr) symbol = dlsym(handle, name);
    }
    function = reinterpret_cast<Function>(symbol);
}

}  // namespace

const XSched& xsched() {
    static const XSched it = [] {
        XSched found{};
        find(found.CudaQueueGet, ORDER_HAL_PREFIX "QueueGet");
        find(found.CudaQueueCreate, ORDER_HAL_PREFIX "QueueCreate");
        find(found.XQueueGet, "XQueueGet");
        find(found.XQueueSuspend, "XQueueSuspend");
        find(found.XQueueResume, "XQueueResume");
        find(found.XQueueQuery, "XQueueQuery");
        find(found.XQueueSetLaunchConfig, "XQueueSetLaunchConfig");
        find(found.XQueueSetPreemptLevel, "XQueueSetPreemptLevel");
        find(found.XQueueProfileHwCommandCount, "XQueueProfileHwCommandCount");
        find(found.XHintPriority, "XHintPriority");
        return found;
    }();
    return it;
}

}  // namespace cuda
