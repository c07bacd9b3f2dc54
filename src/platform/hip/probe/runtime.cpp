// The runtime itself: which file, its versions, whether others are in the process, how many devices it finds.
#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "calls.h"
#include "hip_trials.h"

namespace xsched::probe {
namespace {

int add_runtime(dl_phdr_info* info, size_t, void* found) {
    const char* name = info->dlpi_name != nullptr ? info->dlpi_name : "";
    const char* slash = strrchr(name, '/');
    const std::string file = slash != nullptr ? slash + 1 : name;
    const bool runtime = file.find("hip") != std::string::npos && file.find("shim") == std::string::npos &&
                         file.find("hiprtc") == std::string::npos && file.find("halhip") == std::string::npos;
    if (runtime) static_cast<Json*>(found)->push_back(name);
    return 0;
}

int number_of(const char* name) {
    int value = 0;
    return vendor::call(name, &value) == 0 ? value : 0;
}

}  // namespace

Json try_runtime(const Settings&) {
    doing("opening the HIP runtime");
    void* create = busy::runtime_symbol("hipStreamCreate");
    if (create == nullptr) throw std::runtime_error("there is no HIP runtime: install ROCm's, or set XSCHED_HIP_LIB");
    Dl_info info{};
    dladdr(create, &info);
    Json found = {{"file", info.dli_fname != nullptr ? info.dli_fname : ""}, {"libraries", Json::array()}};
    doing("initializing the HIP runtime");
    found["init_code"] = vendor::call("hipInit", 0U);
    found["runtime_version"] = number_of("hipRuntimeGetVersion");
    found["driver_version"] = number_of("hipDriverGetVersion");
    int count = 0;
    doing("counting devices");
    found["count_code"] = vendor::call("hipGetDeviceCount", &count);
    found["devices"] = count;
    dl_iterate_phdr(add_runtime, &found["libraries"]);
    return found;
}

}  // namespace xsched::probe
