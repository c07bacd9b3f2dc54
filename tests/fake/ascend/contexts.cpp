// Devices, contexts and memory.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "fake/ascend/layer.h"

using namespace acl_layer;

namespace {

constexpr int kMostDevices = 2;

struct Device {
    CUcontext primary = nullptr;
    int holders = 0;
};
std::mutex g_devices_mutex;
Device g_devices[kMostDevices];

CUcontext primary_of(int32_t device) {
    const std::lock_guard lock(g_devices_mutex);
    Device& it = g_devices[device];
    if (it.holders++ == 0 && cu().cuDevicePrimaryCtxRetain(&it.primary, device) != CUDA_SUCCESS) return nullptr;
    return it.primary;
}

// Starts what the runtime starts with a device: threads of its own, which call functions that it exports.
void start_threads() {
    const char* wanted = std::getenv("FAKE_ASCEND_SET_DEVICE");
    if (wanted == nullptr || std::strcmp(wanted, "threads") != 0) return;
    std::thread([] {
        aclrtContext context = nullptr;
        THROUGH_EXPORT(aclrtGetCurrentContext)(&context);
        THROUGH_EXPORT(rtStreamQuery)(nullptr);
        THROUGH_EXPORT(rtDeviceSynchronize)();
    }).join();
}

}  // namespace

aclError aclInit(const char*) { return code_of(cu().cuInit(0)); }
aclError aclFinalize() { return ACL_SUCCESS; }

aclError aclrtGetDeviceCount(uint32_t* count) {
    int found = 0;
    const aclError code = code_of(cu().cuDeviceGetCount(&found));
    *count = static_cast<uint32_t>(found);
    return code;
}

aclError rtSetDevice(int32_t device) {
    uint32_t count = 0;
    if (cu().cuInit(0) != CUDA_SUCCESS || aclrtGetDeviceCount(&count) != ACL_SUCCESS || device < 0 ||
        device >= static_cast<int32_t>(count))
        return 107001;  // ACL_ERROR_RT_INVALID_DEVICEID
    start_threads();
    const CUcontext primary = primary_of(device);
    return primary != nullptr ? code_of(cu().cuCtxSetCurrent(primary)) : kInternal;
}
aclError aclrtSetDevice(int32_t device) { return THROUGH_EXPORT(rtSetDevice)(device); }

aclError aclrtGetDevice(int32_t* device) {
    CUdevice found = -1;
    const aclError code = code_of(cu().cuCtxGetDevice(&found));
    *device = found;
    return code;
}

// The primary context ends when each aclrtSetDevice has had its reset.
aclError rtDeviceReset(int32_t device) {
    const std::lock_guard lock(g_devices_mutex);
    Device& it = g_devices[device];
    if (it.holders == 0) return 107001;
    if (--it.holders > 0) return ACL_SUCCESS;
    cu().cuCtxSetCurrent(nullptr);
    return code_of(cu().cuDevicePrimaryCtxRelease_v2(device));
}
aclError aclrtResetDevice(int32_t device) { return THROUGH_EXPORT(rtDeviceReset)(device); }

aclError aclrtCreateContext(aclrtContext* context, int32_t device) {
    CUcontext made = nullptr;
    const aclError code = code_of(cu().cuCtxCreate_v2(&made, 0, device));
    *context = reinterpret_cast<aclrtContext>(made);
    return code;
}
aclError aclrtDestroyContext(aclrtContext context) { return code_of(cu().cuCtxDestroy_v2(cu_context(context))); }
aclError aclrtSetCurrentContext(aclrtContext context) { return code_of(cu().cuCtxSetCurrent(cu_context(context))); }
aclError aclrtGetCurrentContext(aclrtContext* context) {
    CUcontext found = nullptr;
    ACL_TRY(code_of(cu().cuCtxGetCurrent(&found)));
    *context = reinterpret_cast<aclrtContext>(found);
    return found != nullptr ? ACL_SUCCESS : ACL_ERROR_RT_CONTEXT_NULL;
}

aclError rtDeviceSynchronize() { return code_of(cu().cuCtxSynchronize()); }
aclError aclrtSynchronizeDevice() { return THROUGH_EXPORT(rtDeviceSynchronize)(); }

aclError rtGetDevicePhyIdByIndex(uint32_t index, uint32_t* physical) {
    *physical = index + 4;  // a container that was given the fourth NPU and those behind it
    return ACL_SUCCESS;
}
const char* aclrtGetSocName() { return "Ascend310P3"; }

aclError aclrtMalloc(void** memory, size_t bytes, int) {
    CUdeviceptr made = 0;
    const aclError code = code_of(cu().cuMemAlloc_v2(&made, bytes));
    *memory = reinterpret_cast<void*>(made);
    return code;
}
aclError aclrtFree(void* memory) { return code_of(cu().cuMemFree_v2(at(memory))); }
aclError aclrtMallocHost(void** memory, size_t bytes) { return code_of(cu().cuMemAllocHost_v2(memory, bytes)); }
aclError aclrtFreeHost(void* memory) { return code_of(cu().cuMemFreeHost(memory)); }
aclError aclrtMemcpy(void* to, size_t most, const void* from, size_t bytes, int) {
    if (bytes > most) return kInvalid;
    ACL_TRY(code_of(cu().cuMemcpy(at(to), at(from), bytes)));
    return code_of(cu().cuStreamSynchronize(nullptr));  // CUDA's call may return earlier
}
