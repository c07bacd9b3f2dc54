// Streams, and what waits for them.
#include <chrono>
#include <thread>

#include "fake/ascend/layer.h"

using namespace acl_layer;

namespace {

using Clock = std::chrono::steady_clock;

// Asks until `asked` is no longer "not ready", or the time is over; -1: without a limit.
template <typename Ask>
aclError ask_until(int32_t timeout_ms, Ask asked) {
    const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
    for (;;) {
        const CUresult code = asked();
        if (code != CUDA_ERROR_NOT_READY) return code_of(code);
        if (timeout_ms >= 0 && Clock::now() >= end) return kTimeout;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

template <typename Status>
aclError answer(CUresult code, Status* status, int complete) {
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_NOT_READY) return code_of(code);
    *status = static_cast<Status>(code == CUDA_SUCCESS ? complete : 1 - complete);
    return ACL_SUCCESS;
}

aclError create(aclrtStream* stream, bool for_model) {
    CUstream made = nullptr;
    ACL_TRY(code_of(cu().cuStreamCreate(&made, CU_STREAM_NON_BLOCKING)));
    *stream = reinterpret_cast<aclrtStream>(made);
    if (for_model) note_model_stream(*stream);
    return ACL_SUCCESS;
}

}  // namespace

aclError rtStreamCreate(aclrtStream* stream, int32_t) { return create(stream, false); }
aclError rtStreamCreateWithFlags(aclrtStream* stream, int32_t, uint32_t flags) {
    return create(stream, (flags & RT_STREAM_PERSISTENT) != 0);
}
aclError aclrtCreateStream(aclrtStream* stream) { return THROUGH_EXPORT(rtStreamCreate)(stream, 0); }
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flags) {
    const uint32_t below = (flags & ACL_STREAM_PERSISTENT) != 0 ? RT_STREAM_PERSISTENT : 0;
    return THROUGH_EXPORT(rtStreamCreateWithFlags)(stream, static_cast<int32_t>(priority), below);
}
aclError rtStreamDestroy(aclrtStream stream) {
    forget_model_stream(stream);
    return code_of(cu().cuStreamDestroy_v2(cu_stream(stream)));
}
aclError aclrtDestroyStreamForce(aclrtStream stream) { return THROUGH_EXPORT(rtStreamDestroy)(stream); }
aclError aclrtDestroyStream(aclrtStream stream) { return THROUGH_EXPORT(rtStreamDestroy)(stream); }

aclError rtStreamSynchronize(aclrtStream stream) {
    if (!may_get(stream, "a synchronization")) return kInvalid;
    return code_of(cu().cuStreamSynchronize(cu_stream(stream)));
}
aclError aclrtSynchronizeStream(aclrtStream stream) { return THROUGH_EXPORT(rtStreamSynchronize)(stream); }
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms) {
    return ask_until(timeout_ms, [&] { return cu().cuStreamQuery(cu_stream(stream)); });
}
aclError rtStreamQuery(aclrtStream stream) { return code_of(cu().cuStreamQuery(cu_stream(stream))); }
aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    return answer(cu().cuStreamQuery(cu_stream(stream)), status, ACL_STREAM_STATUS_COMPLETE);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout_ms) {
    return ask_until(timeout_ms, [&] { return cu().cuEventQuery(cu_event(event)); });
}
aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
    return answer(cu().cuEventQuery(cu_event(event)), status, ACL_EVENT_STATUS_COMPLETE);
}
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    return answer(cu().cuEventQuery(cu_event(event)), status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
}
