// Events.
#include "fake/ascend/layer.h"

using namespace acl_layer;

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) {
    CUevent made = nullptr;
    const aclError code = code_of(cu().cuEventCreate(&made, CU_EVENT_DISABLE_TIMING));
    *event = reinterpret_cast<aclrtEvent>(made);
    return code;
}
aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flags) {
    return aclrtCreateEventWithFlag(event, flags);
}

aclError rtEventDestroy(aclrtEvent event) { return code_of(cu().cuEventDestroy_v2(cu_event(event))); }
aclError aclrtDestroyEvent(aclrtEvent event) { return THROUGH_EXPORT(rtEventDestroy)(event); }

aclError rtEventRecord(aclrtEvent event, aclrtStream stream) {
    if (!may_get(stream, "an event")) return kInvalid;
    return code_of(cu().cuEventRecord(cu_event(event), cu_stream(stream)));
}
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) { return THROUGH_EXPORT(rtEventRecord)(event, stream); }
aclError aclrtResetEvent(aclrtEvent, aclrtStream stream) {
    return may_get(stream, "a reset of an event") ? ACL_SUCCESS : kInvalid;
}

aclError rtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    if (!may_get(stream, "a wait for an event")) return kInvalid;
    return code_of(cu().cuStreamWaitEvent(cu_stream(stream), cu_event(event), 0));
}
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    return THROUGH_EXPORT(rtStreamWaitEvent)(stream, event);
}

aclError rtEventSynchronize(aclrtEvent event) { return code_of(cu().cuEventSynchronize(cu_event(event))); }
aclError aclrtSynchronizeEvent(aclrtEvent event) { return THROUGH_EXPORT(rtEventSynchronize)(event); }
