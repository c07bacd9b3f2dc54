#include "fake/hip/runtime.h"

#include <cstdlib>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hip_layer {
namespace {

constexpr int kMostDevices = 16;

struct Device {
    std::mutex mutex;
    std::atomic<CUcontext> context{nullptr};
};
Device& device_at(int device) {
    static Device* const devices = new Device[kMostDevices];
    return devices[device];
}

struct Streams {
    std::shared_mutex mutex;
    std::unordered_map<hipStream_t, int> devices;
};
Streams& streams() {
    static Streams& it = *new Streams;
    return it;
}

thread_local int t_device = 0;
thread_local CUcontext t_context = nullptr;  // what use_device last made current
thread_local hipError_t t_last_error = hipSuccess;

// A thread's own streams end with it, when their work is done, even during a capture. Made after what the driver
// below keeps for the thread, and so destroyed before it.
struct OwnStreams {
    std::set<int> devices;
    ~OwnStreams() {
        const AnyCapture allowed;
        for (int device : devices)
            if (use_device(device) == hipSuccess) cu().cuStreamSynchronize(reinterpret_cast<CUstream>(2));
    }
};
void note_own_stream(int device) {
    thread_local OwnStreams own;
    own.devices.insert(device);
}

}  // namespace

bool setting(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '1';
}

hipError_t started() {
    static const hipError_t code = [] {
        int count = 0;
        const CUresult result = cu().cuInit != nullptr ? cu().cuInit(0) : CUDA_ERROR_NOT_FOUND;
        if (result != CUDA_SUCCESS || cu().cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0)
            return hipErrorNoDevice;
        return hipSuccess;
    }();
    return code;
}

int device_count() {
    int count = 0;
    return cu().cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

int current_device() { return t_device; }

CUcontext context_of(int device) {
    Device& it = device_at(device);
    if (CUcontext context = it.context.load(std::memory_order_acquire)) return context;
    const std::lock_guard lock(it.mutex);
    CUcontext context = it.context.load(std::memory_order_relaxed);
    if (context == nullptr && cu().cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS)
        it.context.store(context, std::memory_order_release);
    return context;
}

hipError_t use_device(int device) {
    CUcontext context = context_of(device);
    if (context == nullptr) return hipErrorInvalidDevice;
    if (context == t_context) return hipSuccess;
    const auto code = static_cast<hipError_t>(cu().cuCtxSetCurrent(context));
    t_context = code == hipSuccess ? context : nullptr;
    return code;
}

hipError_t& last_error() { return t_last_error; }

hipError_t leave(hipError_t code) {
    static const bool old = setting("FAKE_HIP_OLD_ERRORS");
    if (old || (code != hipSuccess && code != hipErrorNotReady)) t_last_error = code;
    return code;
}

hipError_t use_stream(hipStream_t stream, StreamInfo* info) {
    StreamInfo found{t_device, false};
    if (reinterpret_cast<uintptr_t>(stream) > 2) {
        std::shared_lock lock(streams().mutex);
        const auto it = streams().devices.find(stream);
        if (it == streams().devices.end()) return hipErrorContextIsDestroyed;
        found = {it->second, true};
    }
    if (info != nullptr) *info = found;
    HIP_TRY(use_device(found.device));
    if (reinterpret_cast<uintptr_t>(stream) == 2) note_own_stream(found.device);
    return hipSuccess;
}

hipError_t note_stream(hipStream_t stream) {
    const std::unique_lock lock(streams().mutex);
    streams().devices[stream] = t_device;
    return hipSuccess;
}

bool forget_stream(hipStream_t stream) {
    const std::unique_lock lock(streams().mutex);
    return streams().devices.erase(stream) != 0;
}

void destroy_streams(int device) {
    std::vector<hipStream_t> gone;
    {
        const std::unique_lock lock(streams().mutex);
        std::erase_if(streams().devices, [&](const auto& it) {
            if (it.second == device) gone.push_back(it.first);
            return it.second == device;
        });
    }
    for (hipStream_t stream : gone) cu().cuStreamDestroy_v2(cu_stream(stream));
}

// Resets a device: its primary context and all objects in it are destroyed.
static hipError_t reset(int device) {
    HIP_TRY(use_device(device));
    if (device_count() == 1) demand_nothing_registered();
    destroy_streams(device);
    HIP_TRY(static_cast<hipError_t>(cu().cuCtxSynchronize()));
    unload_modules(device);
    device_at(device).context.store(nullptr);
    t_context = nullptr;
    return static_cast<hipError_t>(cu().cuDevicePrimaryCtxReset_v2(device));
}

static bool good(int device) { return device >= 0 && device < device_count(); }

static const char* name_of(hipError_t code) {
    switch (code) {
        case hipSuccess: return "hipSuccess";
        case hipErrorInvalidValue: return "hipErrorInvalidValue";
        case hipErrorNoDevice: return "hipErrorNoDevice";
        case hipErrorInvalidHandle: return "hipErrorInvalidHandle";
        case hipErrorNotReady: return "hipErrorNotReady";
        case hipErrorContextIsDestroyed: return "hipErrorContextIsDestroyed";
        case hipErrorNotSupported: return "hipErrorNotSupported";
        default: return "hipErrorUnknown";
    }
}

}  // namespace hip_layer

extern "C" const char* hipGetErrorName(hipError_t code) { return hip_layer::name_of(code); }
extern "C" const char* hipGetErrorString(hipError_t code) { return hip_layer::name_of(code); }
extern "C" hipError_t hipGetLastError() { return std::exchange(hip_layer::last_error(), hipSuccess); }
extern "C" hipError_t hipExtGetLastError() { return hipGetLastError(); }
extern "C" hipError_t hipPeekAtLastError() { return hip_layer::last_error(); }

HIP_FUNCTION(hipInit, (unsigned), (0)) { return hipSuccess; }
HIP_FUNCTION(hipGetDeviceCount, (int* count), (count)) {
    *count = device_count();
    return *count > 0 ? hipSuccess : hipErrorNoDevice;
}
HIP_FUNCTION(hipGetDevice, (int* device), (device)) {
    *device = t_device;
    return hipSuccess;
}
HIP_FUNCTION(hipSetDevice, (int device), (device)) {
    if (!good(device)) return hipErrorInvalidDevice;
    t_device = device;
    return hipSuccess;
}
HIP_FUNCTION(hipDeviceGet, (int* device, int ordinal), (device, ordinal)) {
    if (!good(ordinal)) return hipErrorInvalidDevice;
    *device = ordinal;
    return hipSuccess;
}
HIP_FUNCTION(hipDeviceGetName, (char* name, int bytes, int device), (name, bytes, device)) {
    return static_cast<hipError_t>(cu().cuDeviceGetName(name, bytes, device));
}
HIP_FUNCTION(hipDeviceGetAttribute, (int* value, int attribute, int device), (value, attribute, device)) {
    // Maps the HIP attributes for which the benchmark programs ask to CUDA's: 57, the most threads of a
    // multiprocessor, and 63, the number of multiprocessors.
    const int which = attribute == 57 ? 39 : attribute == 63 ? CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT : 0;
    if (which == 0) return hipErrorInvalidValue;
    return static_cast<hipError_t>(cu().cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(which), device));
}
HIP_FUNCTION(hipDeviceGetPCIBusId, (char* text, int bytes, int device), (text, bytes, device)) {
    return static_cast<hipError_t>(cu().cuDeviceGetPCIBusId(text, bytes, device));
}
HIP_FUNCTION(hipDriverGetVersion, (int* version), (version)) {
    *version = 70200000;
    return hipSuccess;
}
HIP_FUNCTION(hipRuntimeGetVersion, (int* version), (version)) {
    const char* wanted = std::getenv("FAKE_HIP_VERSION");
    *version = wanted != nullptr ? std::atoi(wanted) : 70200000;
    return hipSuccess;
}
HIP_FUNCTION(hipDeviceGetStreamPriorityRange, (int* least, int* greatest), (least, greatest)) {
    *least = 1;
    *greatest = -1;
    return hipSuccess;
}
HIP_FUNCTION(hipDeviceSynchronize, (), ()) {
    HIP_TRY(use_device(t_device));
    return static_cast<hipError_t>(cu().cuCtxSynchronize());
}
// AMD's runtimes 6.4.3 and 7.2.4 do not support the call (tests/real_rocm).
HIP_FUNCTION(hipCtxSynchronize, (), ()) { return hipErrorNotSupported; }
HIP_FUNCTION(hipDeviceReset, (), ()) { return reset(t_device); }
HIP_FUNCTION(hipDevicePrimaryCtxReset, (int device), (device)) {
    return good(device) ? reset(device) : hipErrorInvalidDevice;
}
HIP_FUNCTION(hipDevicePrimaryCtxRetain, (hipCtx_t * context, int device), (context, device)) {
    if (!good(device)) return hipErrorInvalidDevice;
    *context = reinterpret_cast<hipCtx_t>(hip_layer::context_of(device));
    return hipSuccess;
}
HIP_FUNCTION(hipDevicePrimaryCtxRelease, (int device), (device)) {
    return good(device) ? hipSuccess : hipErrorInvalidDevice;
}
