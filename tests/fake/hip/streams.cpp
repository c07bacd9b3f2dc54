// Streams, events, host functions, value operations and captures.
#include <bit>

#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

hipError_t create(hipStream_t* stream, unsigned flags, int priority) {
    if (stream == nullptr) return hipErrorInvalidValue;
    HIP_TRY(use_device(current_device()));
    CUstream made = nullptr;
    HIP_TRY(code_of(cu().cuStreamCreateWithPriority(&made, flags, std::max(-1, std::min(priority, 0)))));
    *stream = reinterpret_cast<hipStream_t>(made);
    return note_stream(*stream);
}

hipError_t synchronize(hipStream_t stream) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamSynchronize(cu_stream(stream)));
}
hipError_t query(hipStream_t stream) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamQuery(cu_stream(stream)));
}
hipError_t wait_event(hipStream_t stream, hipEvent_t event, unsigned flags) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamWaitEvent(cu_stream(stream), cu_event(event), flags));
}
hipError_t record(hipEvent_t event, hipStream_t stream) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuEventRecord(cu_event(event), cu_stream(stream)));
}
hipError_t host_function(hipStream_t stream, void* function, void* data) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuLaunchHostFunc(cu_stream(stream), reinterpret_cast<CUhostFn>(function), data));
}
hipError_t callback(hipStream_t stream, void* function, void* data, unsigned flags) {
    HIP_TRY(use_stream(stream));
    return code_of(
        cu().cuStreamAddCallback(cu_stream(stream), reinterpret_cast<CUstreamCallback>(function), data, flags));
}
hipError_t is_capturing(hipStream_t stream, int* status) {
    HIP_TRY(use_stream(stream));
    CUstreamCaptureStatus found = CU_STREAM_CAPTURE_STATUS_NONE;
    HIP_TRY(code_of(cu().cuStreamIsCapturing(cu_stream(stream), &found)));
    *status = found;
    return hipSuccess;
}
hipError_t begin_capture(hipStream_t stream, int mode) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamBeginCapture_v2(cu_stream(stream), static_cast<CUstreamCaptureMode>(mode)));
}
hipError_t end_capture(hipStream_t stream, hipGraph_t* graph) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamEndCapture(cu_stream(stream), reinterpret_cast<CUgraph*>(graph)));
}
hipError_t flags_of(hipStream_t stream, unsigned* flags) {
    if (stream == nullptr || flags == nullptr) return hipErrorInvalidValue;
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamGetFlags(cu_stream(stream), flags));
}
hipError_t priority_of(hipStream_t stream, int* priority) {
    *priority = 0;
    if (stream == nullptr) return hipSuccess;
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamGetPriority(cu_stream(stream), priority));
}

// Stores in `word` the driver's address of a word that the program names.
hipError_t word_for_driver(void* address, bool waits, CUdeviceptr* word) {
    static const bool signals_alone = setting("FAKE_HIP_CP_WAIT");
    if (address == nullptr || (waits && signals_alone && !is_signal(address))) return hipErrorInvalidValue;
    *word = at(address);
    return is_signal(address) ? code_of(cu().cuMemHostGetDevicePointer_v2(word, address, 0)) : hipSuccess;
}

// Looks up the device's address of `word`, and makes a value operation with it in the stream.
template <typename Call>
hipError_t on_word(hipStream_t stream, void* word, bool waits, Call call) {
    CUdeviceptr address = 0;
    HIP_TRY(use_stream(stream));
    HIP_TRY(word_for_driver(word, waits, &address));
    return code_of(call(address));
}

}  // namespace
}  // namespace hip_layer

HIP_FUNCTION(hipStreamCreate, (hipStream_t * stream), (stream)) { return create(stream, 0, 0); }
HIP_FUNCTION(hipStreamCreateWithFlags, (hipStream_t * stream, unsigned flags), (stream, flags)) {
    return create(stream, flags, 0);
}
HIP_FUNCTION(hipStreamCreateWithPriority, (hipStream_t * stream, unsigned flags, int priority),
             (stream, flags, priority)) {
    return create(stream, flags, priority);
}
HIP_FUNCTION(hipExtStreamCreateWithCUMask, (hipStream_t * stream, uint32_t words, const uint32_t* mask),
             (stream, words, mask)) {
    return words > 0 && mask != nullptr ? create(stream, 0, 0) : hipErrorInvalidValue;
}
HIP_FUNCTION(hipStreamDestroy, (hipStream_t stream), (stream)) {
    if (reinterpret_cast<uintptr_t>(stream) <= 2) return hipErrorInvalidHandle;
    HIP_TRY(use_stream(stream));
    forget_stream(stream);  // first: its address may be another's as soon as it is gone
    const hipError_t code = code_of(cu().cuStreamDestroy_v2(cu_stream(stream)));
    return code == hipSuccess ? code : (note_stream(stream), code);
}
HIP_FUNCTION(hipStreamSynchronize, (hipStream_t stream), (stream)) { return synchronize(stream); }
HIP_FUNCTION(hipStreamSynchronize_spt, (hipStream_t stream), (stream)) { return synchronize(per_thread(stream)); }
HIP_FUNCTION(hipStreamQuery, (hipStream_t stream), (stream)) { return query(stream); }
HIP_FUNCTION(hipStreamQuery_spt, (hipStream_t stream), (stream)) { return query(per_thread(stream)); }
HIP_FUNCTION(hipStreamGetFlags, (hipStream_t stream, unsigned* flags), (stream, flags)) {
    return flags_of(stream, flags);
}
HIP_FUNCTION(hipStreamGetFlags_spt, (hipStream_t stream, unsigned* flags), (stream, flags)) {
    return flags_of(per_thread(stream), flags);
}
HIP_FUNCTION(hipStreamGetPriority, (hipStream_t stream, int* priority), (stream, priority)) {
    return priority_of(stream, priority);
}
HIP_FUNCTION(hipStreamGetPriority_spt, (hipStream_t stream, int* priority), (stream, priority)) {
    return priority_of(per_thread(stream), priority);
}
HIP_FUNCTION(hipStreamGetDevice, (hipStream_t stream, int* device), (stream, device)) {
    StreamInfo info;
    HIP_TRY(use_stream(stream, &info));
    *device = info.device;
    return hipSuccess;
}
extern "C" int hipGetStreamDeviceId(hipStream_t stream) {
    hip_layer::StreamInfo info;
    return hip_layer::use_stream(stream, &info) == hipSuccess ? info.device : -1;
}
HIP_FUNCTION(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags), (stream, event, flags)) {
    return wait_event(stream, event, flags);
}
HIP_FUNCTION(hipStreamWaitEvent_spt, (hipStream_t stream, hipEvent_t event, unsigned flags), (stream, event, flags)) {
    return wait_event(per_thread(stream), event, flags);
}
HIP_FUNCTION(hipLaunchHostFunc, (hipStream_t stream, void* function, void* data), (stream, function, data)) {
    return host_function(stream, function, data);
}
HIP_FUNCTION(hipLaunchHostFunc_spt, (hipStream_t stream, void* function, void* data), (stream, function, data)) {
    return host_function(per_thread(stream), function, data);
}
HIP_FUNCTION(hipStreamAddCallback, (hipStream_t stream, void* function, void* data, unsigned flags),
             (stream, function, data, flags)) {
    return callback(stream, function, data, flags);
}
HIP_FUNCTION(hipStreamAddCallback_spt, (hipStream_t stream, void* function, void* data, unsigned flags),
             (stream, function, data, flags)) {
    return callback(per_thread(stream), function, data, flags);
}

HIP_FUNCTION(hipStreamWaitValue32, (hipStream_t stream, void* word, uint32_t value, unsigned flags, uint32_t mask),
             (stream, word, value, flags, mask)) {
    if (mask != UINT32_MAX) return hipErrorNotSupported;
    return on_word(stream, word, true, [&](CUdeviceptr address) {
        return cu().cuStreamWaitValue32_v2(cu_stream(stream), address, value, flags);
    });
}
HIP_FUNCTION(hipStreamWaitValue64, (hipStream_t stream, void* word, uint64_t value, unsigned flags, uint64_t mask),
             (stream, word, value, flags, mask)) {
    if (mask != UINT64_MAX) return hipErrorNotSupported;
    return on_word(stream, word, true, [&](CUdeviceptr address) {
        return cu().cuStreamWaitValue64_v2(cu_stream(stream), address, value, flags);
    });
}
HIP_FUNCTION(hipStreamWriteValue32, (hipStream_t stream, void* word, uint32_t value, unsigned flags),
             (stream, word, value, flags)) {
    return on_word(stream, word, false, [&](CUdeviceptr address) {
        return cu().cuStreamWriteValue32_v2(cu_stream(stream), address, value, flags);
    });
}
HIP_FUNCTION(hipStreamWriteValue64, (hipStream_t stream, void* word, uint64_t value, unsigned flags),
             (stream, word, value, flags)) {
    return on_word(stream, word, false, [&](CUdeviceptr address) {
        return cu().cuStreamWriteValue64_v2(cu_stream(stream), address, value, flags);
    });
}
HIP_FUNCTION(hipStreamBatchMemOp, (hipStream_t stream, unsigned count, void* operations, unsigned flags),
             (stream, count, operations, flags)) {
    HIP_TRY(use_stream(stream));
    return code_of(cu().cuStreamBatchMemOp_v2(cu_stream(stream), count,
                                              static_cast<CUstreamBatchMemOpParams*>(operations), flags));
}

HIP_FUNCTION(hipStreamIsCapturing, (hipStream_t stream, int* status), (stream, status)) {
    return is_capturing(stream, status);
}
HIP_FUNCTION(hipStreamIsCapturing_spt, (hipStream_t stream, int* status), (stream, status)) {
    return is_capturing(per_thread(stream), status);
}
HIP_FUNCTION(hipStreamBeginCapture, (hipStream_t stream, int mode), (stream, mode)) {
    return begin_capture(stream, mode);
}
HIP_FUNCTION(hipStreamBeginCapture_spt, (hipStream_t stream, int mode), (stream, mode)) {
    return begin_capture(per_thread(stream), mode);
}
HIP_FUNCTION(hipStreamEndCapture, (hipStream_t stream, hipGraph_t* graph), (stream, graph)) {
    return end_capture(stream, graph);
}
HIP_FUNCTION(hipStreamEndCapture_spt, (hipStream_t stream, hipGraph_t* graph), (stream, graph)) {
    return end_capture(per_thread(stream), graph);
}
// Functions of a future HIP: a capture that this version's table does not know, one that looks like work,
// and one that does not.
HIP_FUNCTION(hipStreamBeginFutureCapture, (hipStream_t stream, int mode, void* what), (stream, mode, what)) {
    static_cast<void>(what);
    return begin_capture(stream, mode);
}
HIP_FUNCTION(hipStreamEndFutureCapture, (hipStream_t stream, hipGraph_t* graph, void* what), (stream, graph, what)) {
    static_cast<void>(what);
    return end_capture(stream, graph);
}
HIP_FUNCTION(hipFutureThing, (int* answer), (answer)) {
    *answer = 4711;
    return hipSuccess;
}
HIP_FUNCTION(hipFutureCopyAsync, (int* answer), (answer)) { return body_hipFutureThing(answer); }
HIP_FUNCTION(hipThreadExchangeStreamCaptureMode, (int* mode), (mode)) {
    return code_of(cu().cuThreadExchangeStreamCaptureMode(reinterpret_cast<CUstreamCaptureMode*>(mode)));
}

HIP_FUNCTION(hipEventCreate, (hipEvent_t * event), (event)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuEventCreate(reinterpret_cast<CUevent*>(event), 0));
}
HIP_FUNCTION(hipEventCreateWithFlags, (hipEvent_t * event, unsigned flags), (event, flags)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuEventCreate(reinterpret_cast<CUevent*>(event), flags));
}
HIP_FUNCTION(hipIpcGetEventHandle, (hipIpcEventHandle_t * name, hipEvent_t event), (name, event)) {
    return code_of(cu().cuIpcGetEventHandle(reinterpret_cast<CUipcEventHandle*>(name), cu_event(event)));
}
HIP_FUNCTION(hipIpcOpenEventHandle, (hipEvent_t * event, hipIpcEventHandle_t name), (event, name)) {
    HIP_TRY(use_device(current_device()));
    return code_of(cu().cuIpcOpenEventHandle(reinterpret_cast<CUevent*>(event), std::bit_cast<CUipcEventHandle>(name)));
}
HIP_FUNCTION(hipEventRecord, (hipEvent_t event, hipStream_t stream), (event, stream)) { return record(event, stream); }
HIP_FUNCTION(hipEventRecord_spt, (hipEvent_t event, hipStream_t stream), (event, stream)) {
    return record(event, per_thread(stream));
}
HIP_FUNCTION(hipEventRecordWithFlags, (hipEvent_t event, hipStream_t stream, unsigned), (event, stream, 0)) {
    return record(event, stream);
}
HIP_FUNCTION(hipEventQuery, (hipEvent_t event), (event)) { return code_of(cu().cuEventQuery(cu_event(event))); }
HIP_FUNCTION(hipEventSynchronize, (hipEvent_t event), (event)) {
    return code_of(cu().cuEventSynchronize(cu_event(event)));
}
HIP_FUNCTION(hipEventDestroy, (hipEvent_t event), (event)) { return code_of(cu().cuEventDestroy_v2(cu_event(event))); }
HIP_FUNCTION(hipEventElapsedTime, (float* milliseconds, hipEvent_t start, hipEvent_t end), (milliseconds, start, end)) {
    return code_of(cu().cuEventElapsedTime(milliseconds, cu_event(start), cu_event(end)));
}
