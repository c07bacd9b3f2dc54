// Events: a place in a stream, or in a graph that is being captured.
#include "fake/cuda/capture.h"
#include "fake/cuda/context.h"
#include "fake/cuda/live.h"
#include "fake/cuda/shared_event.h"

using namespace fake;

struct CUevent_st {
    std::atomic<uint32_t> magic{kMagicEvent};
    Context* context = nullptr;
    unsigned flags = 0;
    fake::SharedEvent* shared = nullptr;  // CU_EVENT_INTERPROCESS
    CUipcEventHandle name{};
    std::mutex mutex;  // everything below
    Place place;
    CapturedPoint captured;
    std::shared_ptr<std::atomic<int64_t>> time_ns;  // of the last record
};

namespace {

constexpr auto kNoEvent = CUDA_ERROR_INVALID_HANDLE;

bool good(CUevent event) {
    if (event != nullptr && event->magic.load() == kMagicEvent) return true;
    if (event != nullptr) report_misuse("event %p does not exist (any more)", static_cast<void*>(event));
    return false;
}

CUresult record(CUevent event, Stream& stream) {
    if (event->context != stream.context) return CUDA_ERROR_INVALID_HANDLE;
    CapturedPoint point;
    CUresult result = CUDA_SUCCESS;
    if (record_in_capture(stream, &point, &result)) {
        const std::lock_guard lock(event->mutex);
        event->captured = point;
        return result;
    }
    auto time_ns = std::make_shared<std::atomic<int64_t>>(clock_ns());
    Command command;
    SharedEvent* const shared = event->shared;
    const uint64_t number = shared != nullptr ? shared->recorded.fetch_add(1) + 1 : 0;
    command.action = [time_ns, shared, number] {
        time_ns->store(clock_ns());
        if (shared != nullptr) complete_shared_event(*shared, number);
    };
    Place place;
    FAKE_TRY(submit(stream, std::move(command), InCapture::kNode, &place));
    const std::lock_guard lock(event->mutex);
    event->place = place;
    event->captured = {};
    event->time_ns = time_ns;
    return CUDA_SUCCESS;
}

// Copies the place in its stream at which the event was recorded, so that the caller can ask whether it is reached.
// An error if the event was recorded in a capture.
CUresult place_of(CUevent event, Place* place) {
    const std::lock_guard lock(event->mutex);
    *place = event->place;
    return event->captured.capture != 0 ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
}

CUresult elapsed(float* milliseconds, CUevent start, CUevent end) {
    if (!good(start) || !good(end)) return kNoEvent;
    if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) return kNoEvent;
    int64_t times[2] = {};
    for (int i = 0; i < 2; ++i) {
        const CUevent event = i == 0 ? start : end;
        const std::lock_guard lock(event->mutex);
        if (event->time_ns == nullptr) return kNoEvent;
        if (!event->place.complete()) return CUDA_ERROR_NOT_READY;
        times[i] = event->time_ns->load();
    }
    *milliseconds = static_cast<float>(static_cast<double>(times[1] - times[0]) / 1e6);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned int flags) {
    FAKE_ENTRY();
    Context* context = nullptr;
    FAKE_TRY(current_usable(&context));
    *event = new CUevent_st;
    (*event)->context = context;
    (*event)->flags = flags;
    if ((flags & CU_EVENT_INTERPROCESS) != 0) (*event)->shared = make_shared_event(&(*event)->name);
    count_live("event", 1);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuIpcGetEventHandle(CUipcEventHandle* name, CUevent event) {
    FAKE_ENTRY();
    if (!good(event) || event->shared == nullptr) return kNoEvent;
    *name = event->name;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle name) {
    FAKE_ENTRY();
    SharedEvent* const shared = open_shared_event(name);
    if (shared == nullptr) return kNoEvent;
    FAKE_TRY(cuEventCreate(event, CU_EVENT_DISABLE_TIMING));
    (*event)->shared = shared;
    (*event)->name = name;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy_v2(CUevent event) {
    FAKE_ENTRY();
    if (!good(event)) return kNoEvent;
    event->magic = 0;
    delete event;
    count_live("event", -1);
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }

CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream handle, unsigned int) {
    FAKE_ENTRY();
    if (!good(event)) return kNoEvent;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    return record(event, *stream);
}
FAKE_PER_THREAD(cuEventRecordWithFlags, _ptsz, (CUevent event, CUstream stream, unsigned int flags),
                (event, stream, flags))
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
    FAKE_ENTRY();
    return cuEventRecordWithFlags(event, stream, 0);
}
FAKE_PER_THREAD(cuEventRecord, _ptsz, (CUevent event, CUstream stream), (event, stream))

CUresult CUDAAPI cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int) {
    FAKE_ENTRY();
    if (!good(event)) return kNoEvent;
    Stream* stream = nullptr;
    FAKE_TRY(stream_of(handle, Within::kAnyContext, &stream));
    Place place;
    CapturedPoint point;
    {
        const std::lock_guard lock(event->mutex);
        place = event->place;
        point = event->captured;
    }
    CUresult result = CUDA_SUCCESS;
    if (wait_in_capture(*stream, point, &result)) return result;
    const uint64_t shared_number = event->shared != nullptr ? event->shared->recorded.load() : 0;
    if (place.complete() && (shared_number == 0 || event->shared->complete(shared_number))) return CUDA_SUCCESS;
    Command command;
    command.after.push_back(place);
    command.shared = event->shared;
    command.shared_number = shared_number;
    return submit(*stream, std::move(command), InCapture::kNode);
}
FAKE_PER_THREAD(cuStreamWaitEvent, _ptsz, (CUstream stream, CUevent event, unsigned int flags), (stream, event, flags))

CUresult CUDAAPI cuEventQuery(CUevent event) {
    FAKE_ENTRY();
    if (!good(event)) return kNoEvent;
    FAKE_TRY(capture_forbids_unsafe_call());
    Place place;
    FAKE_TRY(place_of(event, &place));
    const bool others_complete = event->shared == nullptr || event->shared->complete(event->shared->recorded.load());
    return place.complete() && others_complete ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult CUDAAPI cuEventSynchronize(CUevent event) {
    FAKE_ENTRY();
    if (!good(event)) return kNoEvent;
    Place place;
    FAKE_TRY(place_of(event, &place));
    FAKE_TRY(capture_forbids_unsafe_call());
    wait_for(place);
    if (event->shared != nullptr) wait_for_shared_event(*event->shared, event->shared->recorded.load());
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
    FAKE_ENTRY();
    return elapsed(milliseconds, start, end);
}
CUresult CUDAAPI cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
    FAKE_ENTRY();
    return elapsed(milliseconds, start, end);
}
}
