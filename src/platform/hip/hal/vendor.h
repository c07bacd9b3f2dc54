// The HIP runtime as the code shared by devices with streams (platform/stream/hal, platform/stream/shim) sees it: its
// types under names of their own, and each call it makes. A context is a device: HIP keeps one per device and knows it
// by number.
#pragma once

#include "base/no_copies.h"
#include "platform/hip/hal/api.h"
#include "queue/device.h"
#include "xsched/types.h"

// The name of an entry of libhalhip.so (stream/hal/hal_abi.h).
#define HAL(function) xhip_##function
// One of the vendor's functions (stream/hal/calls.h).
#define VENDOR(function) hip##function

struct XhipDevice;  // has no members: its address is the device's number, see context_of_device

// (last_error.cpp)
extern "C" [[gnu::visibility("default")]] int xhip_begin_own_calls(void);
extern "C" [[gnu::visibility("default")]] void xhip_end_own_calls(int error_before);
// Returns 1 if xhip_thread_over was called on this thread, on which the runtime must not be called any more.
extern "C" [[gnu::visibility("default")]] int xhip_thread_is_over(void);

namespace xsched::stream {

using Stream = hip::hipStream_t;
using Context = ::XhipDevice*;
using Event = hip::hipEvent_t;
using Graph = hip::hipGraph_t;
using Kernel = hip::hipFunction_t;
using Device = int;
using DevicePtr = void*;

inline constexpr Result kOutOfMemory = hip::hipErrorOutOfMemory;
inline constexpr Result kNotReady = hip::hipErrorNotReady;
inline constexpr Result kAlreadyRegistered = hip::hipErrorHostMemoryAlreadyRegistered;
inline constexpr Result kNotSupported = hip::hipErrorNotSupported;
inline constexpr unsigned kNonBlocking = hip::hipStreamNonBlocking;
static_assert(kSuccess == hip::hipSuccess && kNotCapturing == hip::hipStreamCaptureStatusNone &&
              kCaptureModeRelaxed == hip::hipStreamCaptureModeRelaxed);
inline constexpr XPlatform kPlatform = kPlatformHIP;
inline constexpr const char* kVendor = "hip";
inline constexpr bool kHasTimeslices = false;
inline constexpr bool kSwitchesContexts = false;  // as far as is known
// Declared, not measured: no AMD device has run this. KFD's call returns once the compute units' state is saved, so
// that nothing follows it (effect_us). That save writes tens of megabytes, well below a millisecond; off_us also has
// the agent's waking. switch_us is 0: no switch is known that a pause would cost.
inline constexpr XqCosts kCosts{
    .switch_us = 0, .off_us = 700, .most_off_us = 3000, .effect_us = 0, .interrupt_us = 500};
inline constexpr bool kInterruptsUnasked = false;  // level 3 has met an emulator only

// Returns a stand-in for the context of a device, since HIP has none: the value is neither null nor a small number, and
// its last four bits are 0.
inline Context context_of_device(Device device) {
    return reinterpret_cast<Context>((static_cast<uintptr_t>(device) + 1) << 4);
}
inline Device device_of(const Api&, Context context) {
    return static_cast<Device>(reinterpret_cast<uintptr_t>(context) >> 4) - 1;
}
inline Context current_context(const Api& api) {
    int device = 0;
    return api.hipGetDevice(&device) == kSuccess ? context_of_device(device) : nullptr;
}

// Marks the HIP calls of this thread as XSched's own while the object exists: hooks leave them alone, and the thread's
// last error is put back afterwards, because programs look at it after each launch. (last_error.cpp)
class OwnCalls : base::NoCopies {
public:
    explicit OwnCalls(const Api&) : error_before_(xhip_begin_own_calls()) {}
    ~OwnCalls() { xhip_end_own_calls(error_before_); }

private:
    const Result error_before_;
};

// A stream's device current for a moment; such calls are our own.
class InContext : base::NoCopies {
public:
    InContext() = default;
    ~InContext() { leave(); }
    // Returns false if the device cannot be used.
    bool enter(const Api& api, Context context) {
        if (xhip_thread_is_over() != 0) return false;
        error_before_ = xhip_begin_own_calls();
        api_ = &api;
        int now = -1;
        const Device wanted = device_of(api, context);
        if (api.hipGetDevice(&now) == kSuccess && (now == wanted || api.hipSetDevice(wanted) == kSuccess)) {
            before_ = now == wanted ? -1 : now;
            return true;
        }
        leave();
        return false;
    }
    void leave() {
        if (api_ == nullptr) return;
        if (before_ >= 0) api_->hipSetDevice(before_);
        xhip_end_own_calls(error_before_);
        api_ = nullptr;
        before_ = -1;
    }

private:
    const Api* api_ = nullptr;
    Result error_before_ = kSuccess;
    int before_ = -1;  // the device to go back to; -1: it was the same
};
// Used to destroy what was created in a context.
using InContextAtEnd = InContext;

inline void exchange_capture_mode(const Api& api, int* mode) {
    if (api.hipThreadExchangeStreamCaptureMode != nullptr) api.hipThreadExchangeStreamCaptureMode(mode);
}

inline Result event_create(const Api& api, Event* event) {
    return api.hipEventCreateWithFlags(event, hip::hipEventDisableTiming);
}
inline void event_destroy(const Api& api, Event event) { api.hipEventDestroy(event); }

inline Result host_register(const Api& api, void* memory, size_t bytes) {
    return api.hipHostRegister(memory, bytes, hip::hipHostRegisterPortable | hip::hipHostRegisterMapped);
}
// Returns whether our registrations of host memory must be undone before a reset of the device. AMD's runtimes 6.4.3
// and 7.2.4 release registered memory twice when the process's only device is reset, which spoils the program's heap
// (docs/hip-design.md). With several devices they leave it registered. hipHostUnregister waits for the device's work.
inline bool registrations_go_first(const Api& api) {
    int count = 0;
    return api.hipHostUnregister != nullptr && api.hipGetDeviceCount(&count) == kSuccess && count == 1;
}
inline void host_unregister(const Api& api, void* memory) { api.hipHostUnregister(memory); }
inline Result device_alloc(const Api&, DevicePtr*, size_t) { return kNotSupported; }
inline Result set_bytes(const Api&, Stream, DevicePtr, size_t) { return kNotSupported; }
inline Result device_pointer(const Api& api, DevicePtr* pointer, void* memory) {
    return api.hipHostGetDevicePointer(pointer, memory, 0);
}
// Creates a stream of our own, which waits for no other stream.
inline Result stream_create(const Api& api, Stream* stream) {
    return api.hipStreamCreateWithFlags != nullptr && api.hipStreamDestroy != nullptr
               ? api.hipStreamCreateWithFlags(stream, kNonBlocking)
               : kNotSupported;
}
inline void stream_destroy(const Api& api, Stream stream) { api.hipStreamDestroy(stream); }
inline constexpr bool kReadsProgress = true;  // hip/hal/progress.cpp
inline constexpr bool kPausesDevices = false;
inline constexpr bool kTriesGates = true;  // gates have met no AMD device
inline bool has_value_operations(const Api& api) {
    return api.hipStreamWaitValue32 != nullptr && api.hipStreamWriteValue32 != nullptr;
}
// Makes the stream wait until the word is at least `value`.
inline Result wait_value(const Api& api, Stream stream, DevicePtr word, uint32_t value) {
    return api.hipStreamWaitValue32(stream, word, value, hip::hipStreamWaitValueGte, 0xffffffff);
}
inline Result write_value(const Api& api, Stream stream, DevicePtr word, uint32_t value) {
    return api.hipStreamWriteValue32(stream, word, value, 0);
}
// Allocates 8 bytes of signal memory, which host and device see; nullptr: the runtime has no such function. With
// GPU_STREAMOPS_CP_WAIT=1 the runtime waits by its command processor instead of a polling kernel, and that needs signal
// memory.
inline constexpr bool kMakesSignals = true;
uint64_t* signal_memory(const Api& api);
inline DevicePtr as_device_pointer(uint64_t* signal) { return signal; }

inline bool retain_device(const Api& api, Context, Device device) {
    hip::hipCtx_t context = nullptr;
    return api.hipDevicePrimaryCtxRetain(&context, device) == kSuccess;
}
inline void release_device(const Api& api, Device device) { api.hipDevicePrimaryCtxRelease(device); }

inline const char* error_name(const Api& api, Result code) {
    const char* name = api.hipGetErrorName != nullptr ? api.hipGetErrorName(code) : nullptr;
    return name != nullptr ? name : "unknown";
}
// Returns whether the code says that the program has torn down the stream or device, which is ordinary at its end.
inline bool torn_down(Result code) {
    return code == hip::hipErrorNotInitialized || code == hip::hipErrorDeinitialized ||
           code == hip::hipErrorInvalidContext || code == hip::hipErrorInvalidHandle ||
           code == hip::hipErrorContextIsDestroyed;
}

}  // namespace xsched::stream

#include "platform/stream/hal/calls.h"
