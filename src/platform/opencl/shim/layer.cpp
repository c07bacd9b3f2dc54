// XSched as an OpenCL layer: the ICD loader reads OPENCL_LAYERS, asks clGetLayerInfo and calls clInitLayer, once.
#include <CL/cl_layer.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/log.h"
#include "platform/opencl/shim/entry_points.h"

namespace xsched::opencl {
namespace {

constexpr char kLayerName[] = "XSched";
constexpr cl_uint kDispatchEntries = sizeof(cl_icd_dispatch) / sizeof(void*);

constinit cl_icd_dispatch g_dispatch{}; // what the loader calls
constinit cl_icd_dispatch g_passing{};   // named twice in OPENCL_LAYERS: the second one only passes on

void put_hooks(cl_icd_dispatch& dispatch) {
    const auto put = [](auto& function, void* hook) {
        if (function != nullptr && hook != nullptr) function = reinterpret_cast<std::decay_t<decltype(function)>>(hook);
    };
#define ENTRY_POINT(name) put(dispatch.name, hook_of(kEntry_##name));
#include "entry_points.inc"
}

// Keeps the library of each function below us for the rest of the process. A program that has opened the loader by
// itself may close it while work of its is held or in flight (LuaJIT does at its end), and XSched's threads call the
// loader then.
void keep_loaded(const cl_icd_dispatch& below_us) {
    const void* kept = nullptr;
    const auto keep = [&kept](const void* function) {
        Dl_info where{};
        if (function == nullptr || dladdr(function, &where) == 0 || where.dli_fbase == kept) return;
        kept = where.dli_fbase;
        // A library that was opened once with RTLD_NODELETE stays loaded, even after this handle is closed.
        if (void* library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) dlclose(library);
    };
#define ENTRY_POINT(name) keep(reinterpret_cast<const void*>(below_us.name));
#include "entry_points.inc"
}

cl_int answer(const void* value, size_t bytes, size_t room, void* place, size_t* needed) {
    if (place != nullptr && room < bytes) return CL_INVALID_VALUE;
    if (place != nullptr) std::memcpy(place, value, bytes);
    if (needed != nullptr) *needed = bytes;
    return CL_SUCCESS;
}

}  // namespace
}  // namespace xsched::opencl

extern "C" {

[[gnu::visibility("default")]] cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void* place,
                                                                 size_t* needed) {
    using namespace xsched::opencl;
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what == CL_LAYER_API_VERSION) return answer(&version, sizeof version, room, place, needed);
    if (what == CL_LAYER_NAME) return answer(kLayerName, sizeof kLayerName, room, place, needed);
    return CL_INVALID_VALUE;
}

[[gnu::visibility("default")]] cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch* target,
                                                              cl_uint* count_ret, const cl_icd_dispatch** layer_ret) {
    using namespace xsched::opencl;
    if (target == nullptr || count_ret == nullptr || layer_ret == nullptr) return CL_INVALID_VALUE;
    const cl_uint known = std::min(count, kDispatchEntries);
    cl_icd_dispatch below_us{};
    std::memcpy(&below_us, target, known * sizeof(void*));
    *count_ret = known;
    if (become_layer(below_us)) {
        keep_loaded(below_us);
        g_dispatch = below_us;
        put_hooks(g_dispatch);
        *layer_ret = &g_dispatch;
        XLOG_DEBG("XSched is an OpenCL layer of this program");
    } else {
        g_passing = below_us;
        *layer_ret = &g_passing;
    }
    return CL_SUCCESS;
}

}  // extern "C"
