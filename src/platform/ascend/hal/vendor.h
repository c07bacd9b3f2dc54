// CANN's runtime as the code shared by devices with streams (platform/stream/hal, platform/stream/shim) sees it: its
// types under names of their own, and each call that the code makes. There are no gates: the device waits on memory of
// its own alone (aclrtValueWait), so callers wait. Progress is told by events.
#pragma once

#include "base/no_copies.h"
#include "platform/ascend/hal/api.h"
#include "queue/device.h"
#include "xsched/types.h"

// The name of an entry of libhalascend.so (stream/hal/hal_abi.h).
#define HAL(function) xasc_##function
// One of the vendor's functions (stream/hal/vendor_library.cpp).
#define VENDOR(function) acl##function

extern "C" {
// How many calls of the program or of XSched this thread is inside of. If it is not 0, hooks lead straight to the
// runtime: acl functions end in rt functions, which are hooked as well. Every call reads it, so the declaration avoids
// a look-up of the thread's storage and an initialization check. (hal.cpp)
[[gnu::visibility("default"), gnu::tls_model("initial-exec")]] extern constinit thread_local uint32_t xasc_inside;
}

namespace xsched::stream {

using Stream = ascend::aclrtStream;
using Context = ascend::aclrtContext;
using Event = ascend::aclrtEvent;
using Kernel = ascend::aclrtFuncHandle;
using Device = int32_t;
using DevicePtr = void*;

inline constexpr Result kOutOfMemory = ascend::ACL_ERROR_RT_MEMORY_ALLOCATION;
inline constexpr Result kNotSupported = ascend::ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
// CANN's questions answer by a status, so no function of CANN's returns these.
inline constexpr Result kNotReady = -1;
inline constexpr Result kAlreadyRegistered = -2;
static_assert(kSuccess == ascend::ACL_SUCCESS && kNotCapturing == ascend::ACL_MODEL_RI_CAPTURE_STATUS_NONE &&
              kCaptureModeRelaxed == ascend::ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
inline constexpr XPlatform kPlatform = kPlatformAscend;
inline constexpr const char* kVendor = "acl";
inline constexpr bool kHasTimeslices = false;
inline constexpr bool kSwitchesContexts = false;
inline constexpr XqCosts kCosts{};  // no level 3
inline constexpr bool kInterruptsUnasked = false;

// Returns the context's device; the context is current.
inline Device device_of(const Api& api, Context) {
    Device device = -1;
    return api.aclrtGetDevice(&device) == kSuccess ? device : -1;
}
inline Context current_context(const Api& api) {
    Context context = nullptr;
    return api.aclrtGetCurrentContext(&context) == kSuccess ? context : nullptr;
}

// Marks the calls of this thread as XSched's own while the object exists.
class OwnCalls : base::NoCopies {
public:
    explicit OwnCalls(const Api&) { ++xasc_inside; }
    ~OwnCalls() { --xasc_inside; }
};

// Makes a stream's context current for a moment; such calls are our own.
class InContext : base::NoCopies {
public:
    InContext() = default;
    ~InContext() { leave(); }
    // Returns false if the context cannot be used. A thread without a context keeps none: no function takes one away.
    bool enter(const Api& api, Context context) {
        ++xasc_inside;
        api_ = &api;
        Context now = current_context(api);
        if (now == context) return true;
        if (now != nullptr && api.aclrtSetCurrentContext(context) == kSuccess) {
            before_ = now;
            return true;
        }
        leave();
        return false;
    }
    void leave() {
        if (api_ == nullptr) return;
        if (before_ != nullptr) api_->aclrtSetCurrentContext(before_);
        before_ = nullptr;
        api_ = nullptr;
        --xasc_inside;
    }

private:
    const Api* api_ = nullptr;
    Context before_ = nullptr;  // to go back to; nullptr: it was the same
};
// Used to destroy what was created in a context.
using InContextAtEnd = InContext;

inline void exchange_capture_mode(const Api& api, int* mode) {
    if (api.aclmdlRICaptureThreadExchangeMode != nullptr) api.aclmdlRICaptureThreadExchangeMode(mode);
}
// A runtime, or a chip, without capture captures nothing.
inline Result capture_status(const Api& api, Stream stream, int* status) {
    ascend::aclmdlRI model = nullptr;
    if (api.aclmdlRICaptureGetInfo == nullptr || api.aclmdlRICaptureGetInfo(stream, status, &model) != kSuccess)
        *status = kNotCapturing;
    return kSuccess;
}
inline bool asks_capturing(const Api& api, Stream stream) {
    int status = kNotCapturing;
    capture_status(api, stream, &status);
    return status != kNotCapturing;
}

// The names of the runtime's functions for log lines.
inline constexpr const char* kRecordFunction = "aclrtRecordEvent";
inline constexpr const char* kSynchronizeFunction = "aclrtSynchronizeEvent";

// CANN documents the priority of a stream as reserved, so it means nothing here.
inline int32_t stream_priority(const Api&, Stream) { return 0; }
// Returns false: the default stream is one like the others.
inline bool stream_blocks(const Api&, Stream) { return false; }
inline Result event_create(const Api& api, Event* event) {
    const auto create =
        api.aclrtCreateEventExWithFlag != nullptr ? api.aclrtCreateEventExWithFlag : api.aclrtCreateEventWithFlag;
    return create(event, ascend::ACL_EVENT_CAPTURE_STREAM_PROGRESS);
}
inline void event_destroy(const Api& api, Event event) { api.aclrtDestroyEvent(event); }
inline Result event_record(const Api& api, Event event, Stream stream) { return api.aclrtRecordEvent(event, stream); }
inline Result event_query(const Api& api, Event event) {
    if (api.aclrtQueryEventStatus != nullptr) {
        auto status = ascend::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        const Result code = api.aclrtQueryEventStatus(event, &status);
        return code != kSuccess || status == ascend::ACL_EVENT_RECORDED_STATUS_COMPLETE ? code : kNotReady;
    }
    ascend::aclrtEventStatus status{1};
    const Result code = api.aclrtQueryEvent != nullptr ? api.aclrtQueryEvent(event, &status) : kNotSupported;
    return code != kSuccess || status == ascend::ACL_EVENT_STATUS_COMPLETE ? code : kNotReady;
}
inline Result event_synchronize(const Api& api, Event event) { return api.aclrtSynchronizeEvent(event); }

// --- what gates and keep-alives need elsewhere
inline constexpr bool kReadsProgress = false;
inline constexpr bool kPausesDevices = true;  // ascend/hal/send_queues.cpp
inline constexpr bool kTriesGates = false;
inline constexpr bool kMakesSignals = false;
inline constexpr const char* kWaitFunction = "none";
inline constexpr const char* kWriteFunction = "none";
inline constexpr const char* kSetFunction = "none";
inline bool has_value_operations(const Api&) { return false; }
inline Result wait_value(const Api&, Stream, DevicePtr, uint32_t) { return kNotSupported; }
inline Result write_value(const Api&, Stream, DevicePtr, uint32_t) { return kNotSupported; }
inline uint64_t* signal_memory(const Api&) { return nullptr; }
inline DevicePtr as_device_pointer(uint64_t* signal) { return signal; }
inline Result host_register(const Api&, void*, size_t) { return kNotSupported; }
inline bool registrations_go_first(const Api&) { return false; }
inline void host_unregister(const Api&, void*) {}
inline Result device_pointer(const Api&, DevicePtr*, void*) { return kNotSupported; }
inline Result device_alloc(const Api&, DevicePtr*, size_t) { return kNotSupported; }
inline Result set_bytes(const Api&, Stream, DevicePtr, size_t) { return kNotSupported; }
inline Result stream_create(const Api&, Stream*) { return kNotSupported; }
inline void stream_destroy(const Api&, Stream) {}
inline bool stream_is_idle(const Api&, Stream) { return false; }
inline bool retain_device(const Api&, Context, Device) { return false; }
inline void release_device(const Api&, Device) {}

inline const char* error_name(const Api&, Result) { return "see CANN's list of return codes"; }
// Returns whether the code says that the program has torn down the stream or device, which is ordinary at its end.
inline bool torn_down(Result code) {
    return code == ascend::ACL_ERROR_RT_CONTEXT_NULL || code == ascend::ACL_ERROR_RT_STREAM_CONTEXT ||
           code == ascend::ACL_ERROR_RT_INVALID_HANDLE || code == ascend::ACL_ERROR_RT_CONTEXT_RELEASE_ERROR;
}

}  // namespace xsched::stream
