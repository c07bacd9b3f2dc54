// The parts that the functions of the HIP layer share: the CUDA driver below, devices, streams, and how each function
// begins and ends. Any thread.
#pragma once

#include <cstring>
#include <functional>

#include "fake/cuda/settings.h"
#include "fake/hip/table.h"
#include "order/cuda/driver.h"
#include "platform/hip/hal/api.h"

namespace hip_layer {

using namespace xsched::hip;

// Returns HIP's code for a code of CUDA's: the numbers are the same.
inline hipError_t code_of(CUresult code) { return static_cast<hipError_t>(code); }

// Returns the functions of the fake CUDA driver.
inline const cuda::Api& cu() { return cuda::api(); }

// Calls cuInit at the first call. Returns success, or the error that says why nothing works.
hipError_t started();
bool setting(const char* variable);

int current_device();
int device_count();
CUcontext context_of(int device);  // its primary context
// Makes the device's context current. It stays current afterwards, since each call sets its own.
hipError_t use_device(int device);

// Leaves the code for hipGetLastError.
hipError_t leave(hipError_t code);
hipError_t& last_error();

// --- streams, by handle
struct StreamInfo {
    int device = 0;
    bool created = false;  // not one of those without a handle
};
// Makes the context of the stream's device current. Returns 709 for a stream that is gone.
hipError_t use_stream(hipStream_t stream, StreamInfo* info = nullptr);
hipError_t note_stream(hipStream_t stream);
bool forget_stream(hipStream_t stream);
// Ends all of the device's.
void destroy_streams(int device);
inline CUstream cu_stream(hipStream_t stream) { return reinterpret_cast<CUstream>(stream); }
inline hipStream_t per_thread(hipStream_t stream) {
    return stream != nullptr ? stream : reinterpret_cast<hipStream_t>(2);
}

// While an object of this class exists, calls of this thread are not forbidden by other threads' stream captures and
// do not invalidate them. For calls that the runtime makes for itself.
class AnyCapture {
public:
    AnyCapture() { cu().cuThreadExchangeStreamCaptureMode(&mode_); }
    ~AnyCapture() { cu().cuThreadExchangeStreamCaptureMode(&mode_); }
    AnyCapture(const AnyCapture&) = delete;
    AnyCapture& operator=(const AnyCapture&) = delete;

private:
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

inline CUdeviceptr at(const void* address) { return reinterpret_cast<CUdeviceptr>(address); }
inline CUevent cu_event(hipEvent_t event) { return reinterpret_cast<CUevent>(event); }

// Returns the kernel behind a host function's address on the current device; nullptr: none was registered.
CUfunction kernel_of(const void* function);
void unload_modules(int device);

bool is_signal(const void* address);
// Ends the process with a line if memory is still registered: AMD's runtimes would release it twice when the only
// device is reset.
void demand_nothing_registered();

// Counts the calls of one function of HIP, and makes a call fail if the environment says so.
class Entry {
public:
    explicit Entry(const char* name) : function_(name) {}
    hipError_t enter() {
        if (const CUresult injected = function_.enter(); injected != CUDA_SUCCESS)
            return static_cast<hipError_t>(injected);
        return started();
    }

private:
    fake::Function function_;
};

// A tool that registered itself (hipRegisterTracerCallback) is told where a call begins and ends.
class ToolSees {
public:
    explicit ToolSees(const char* call);
    ~ToolSees();
    ToolSees(const ToolSees&) = delete;
    ToolSees& operator=(const ToolSees&) = delete;

private:
    const char* const call_;
};

}  // namespace hip_layer

// A function of the interface: HIP_FUNCTION(name, (parameters), (arguments)) { body }. The exported symbol goes through
// the table, where there is one, to the function of the body; a fault that the environment asks for comes before that.
#define HIP_FUNCTION(name, parameters, arguments)                                                \
    namespace hip_layer {                                                                        \
    static hipError_t body_##name parameters;                                                    \
    static hipError_t impl_##name parameters {                                                   \
        static Entry entry(#name);                                                               \
        const ToolSees tool(#name);                                                              \
        if (const hipError_t failed = entry.enter(); failed != hipSuccess) return leave(failed); \
        return leave(body_##name arguments);                                                     \
    }                                                                                            \
    static const TableEntry place_##name(#name, reinterpret_cast<void*>(&impl_##name));          \
    }                                                                                            \
    extern "C" xsched::hip::hipError_t name parameters {                                         \
        return reinterpret_cast<decltype(&name)>(hip_layer::place_##name.function()) arguments;  \
    }                                                                                            \
    static hipError_t hip_layer::body_##name parameters

#define HIP_TRY(call) \
    if (const hipError_t failed = (call); failed != hipSuccess) return failed

using namespace xsched::hip;
