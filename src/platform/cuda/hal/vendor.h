// The CUDA driver in the terms of the code that platforms with streams share (platform/stream/hal,
// platform/stream/shim): its types under common names, and each call that the code makes.
#pragma once

#include "base/no_copies.h"
#include "platform/cuda/hal/api.h"
#include "platform/nvidia/hal/costs.h"
#include "queue/device.h"
#include "xsched/types.h"

// The name of an entry of libhalcuda.so (stream/hal/hal_abi.h).
#define HAL(function) xcu_##function
// One of the vendor's functions (stream/hal/calls.h).
#define VENDOR(function) cu##function

namespace xsched::stream {

using Stream = cuda::CUstream;
using Context = cuda::CUcontext;
using Event = cuda::CUevent;
using Graph = cuda::CUgraph;
using Kernel = cuda::CUfunction;
using Device = cuda::CUdevice;
using DevicePtr = cuda::CUdeviceptr;

inline constexpr Result kOutOfMemory = cuda::CUDA_ERROR_OUT_OF_MEMORY;
inline constexpr Result kNotReady = cuda::CUDA_ERROR_NOT_READY;
inline constexpr Result kNotSupported = cuda::CUDA_ERROR_NOT_SUPPORTED;
inline constexpr Result kAlreadyRegistered = cuda::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
inline constexpr unsigned kNonBlocking = cuda::CU_STREAM_NON_BLOCKING;
static_assert(kSuccess == cuda::CUDA_SUCCESS && kNotCapturing == cuda::CU_STREAM_CAPTURE_STATUS_NONE);
static_assert(kCaptureModeRelaxed == cuda::CU_STREAM_CAPTURE_MODE_RELAXED);
inline constexpr XPlatform kPlatform = kPlatformCUDA;
inline constexpr const char* kVendor = "cuda";
inline constexpr bool kHasTimeslices = true;
inline constexpr bool kSwitchesContexts = true;  // between processes
inline constexpr XqCosts kCosts = nvidia::kCosts;
inline constexpr bool kInterruptsUnasked = true;  // level 3: measured, see docs/decisions/002

// Returns the context's device; the context is current.
inline Device device_of(const Api& api, Context) {
    Device device = -1;
    return api.cuCtxGetDevice(&device) == kSuccess ? device : -1;
}
inline Context current_context(const Api& api) {
    Context context = nullptr;
    return api.cuCtxGetCurrent(&context) == kSuccess ? context : nullptr;
}

// Marks calls as XSched's own on platforms whose runtime keeps a thread's last error. CUDA's driver interface keeps
// none, so this does nothing.
struct OwnCalls {
    explicit OwnCalls(const Api&) {}
    ~OwnCalls() {}
};

// Makes a stream's context current for a moment.
class InContext : base::NoCopies {
public:
    InContext() = default;
    ~InContext() { leave(); }
    // Returns false if the context cannot be used.
    bool enter(const Api& api, Context context) {
        Context now = nullptr;
        if (api.cuCtxGetCurrent(&now) != kSuccess) return false;
        if (now == context) return true;
        if (api.cuCtxPushCurrent_v2(context) != kSuccess) return false;
        api_ = &api;
        return true;
    }
    void leave() {
        Context popped = nullptr;
        if (api_ != nullptr) api_->cuCtxPopCurrent_v2(&popped);
        api_ = nullptr;
    }

private:
    const Api* api_ = nullptr;  // of the context to be popped; nullptr: it was the same
};

// Stands for InContext at the end of a stream: the driver takes events and device references back in any context, and
// the stream's own may be gone.
struct InContextAtEnd {
    bool enter(const Api&, Context) { return true; }
};

inline void exchange_capture_mode(const Api& api, int* mode) { api.cuThreadExchangeStreamCaptureMode(mode); }

inline Result event_create(const Api& api, Event* event) {
    return api.cuEventCreate(event, cuda::CU_EVENT_DISABLE_TIMING);
}
inline void event_destroy(const Api& api, Event event) { api.cuEventDestroy_v2(event); }

inline Result host_register(const Api& api, void* memory, size_t bytes) {
    return api.cuMemHostRegister_v2(memory, bytes,
                                    cuda::CU_MEMHOSTREGISTER_PORTABLE | cuda::CU_MEMHOSTREGISTER_DEVICEMAP);
}
// Returns whether memory must be unregistered before its context ends: no, the driver ends a context's registrations
// with the context.
inline bool registrations_go_first(const Api&) { return false; }
inline void host_unregister(const Api&, void*) {}
inline Result device_pointer(const Api& api, DevicePtr* pointer, void* memory) {
    return api.cuMemHostGetDevicePointer_v2(pointer, memory, 0);
}
inline Result device_alloc(const Api& api, DevicePtr* memory, size_t bytes) { return api.cuMemAlloc_v2(memory, bytes); }
inline Result set_bytes(const Api& api, Stream stream, DevicePtr memory, size_t bytes) {
    return api.cuMemsetD8Async(memory, 0, bytes, stream);
}
// Creates a stream of our own, which waits for no other stream.
inline Result stream_create(const Api& api, Stream* stream) {
    return api.cuStreamCreate != nullptr ? api.cuStreamCreate(stream, kNonBlocking) : kNotSupported;
}
inline void stream_destroy(const Api& api, Stream stream) {
    if (api.cuStreamDestroy_v2 != nullptr) api.cuStreamDestroy_v2(stream);
}
inline constexpr bool kReadsProgress = false;
inline constexpr bool kPausesDevices = false;
inline constexpr bool kTriesGates = false;  // measured: docs/decisions/001
inline bool has_value_operations(const Api& api) {
    return api.cuStreamWaitValue32_v2 != nullptr && api.cuStreamWriteValue32_v2 != nullptr;
}
// Makes the stream wait until the word is at least `value`.
inline Result wait_value(const Api& api, Stream stream, DevicePtr word, uint32_t value) {
    return api.cuStreamWaitValue32_v2(stream, word, value, cuda::CU_STREAM_WAIT_VALUE_GEQ);
}
inline Result write_value(const Api& api, Stream stream, DevicePtr word, uint32_t value) {
    return api.cuStreamWriteValue32_v2(stream, word, value, 0);
}
// CUDA needs no signal memory of the driver's: a stream can wait on any registered word, if the device has such waits
// at all.
inline constexpr bool kMakesSignals = false;
inline uint64_t* signal_memory(const Api&) { return nullptr; }
inline DevicePtr as_device_pointer(uint64_t* signal) { return reinterpret_cast<DevicePtr>(signal); }

// Keeps the device's primary context alive if that is `context`. Returns false if it is not.
inline bool retain_device(const Api& api, Context context, Device device) {
    unsigned flags = 0;
    int active = 0;
    Context primary = nullptr;
    if (api.cuDevicePrimaryCtxGetState(device, &flags, &active) != kSuccess || active == 0) return false;
    if (api.cuDevicePrimaryCtxRetain(&primary, device) != kSuccess) return false;
    if (primary == context) return true;
    api.cuDevicePrimaryCtxRelease_v2(device);
    return false;
}
inline void release_device(const Api& api, Device device) { api.cuDevicePrimaryCtxRelease_v2(device); }

inline const char* error_name(const Api& api, Result code) {
    const char* name = nullptr;
    const bool known = api.cuGetErrorName != nullptr && api.cuGetErrorName(code, &name) == kSuccess;
    return known && name != nullptr ? name : "unknown";
}
// Returns whether the code means that the program has torn down its context or stream, which is normal at its end.
inline bool torn_down(Result code) {
    return code == cuda::CUDA_ERROR_NOT_INITIALIZED || code == cuda::CUDA_ERROR_DEINITIALIZED ||
           code == cuda::CUDA_ERROR_INVALID_CONTEXT || code == cuda::CUDA_ERROR_INVALID_HANDLE ||
           code == cuda::CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

}  // namespace xsched::stream

#include "platform/stream/hal/calls.h"
