// Questions that succeed whatever the answer, which is a status. A "complete" tells what has completed. On the caller's
// thread.
#pragma once

#include "platform/stream/shim/events.h"
#include "platform/stream/shim/keep_errno.h"

namespace xsched::ascend {

constexpr bool is_complete(aclrtStreamStatus status) { return status == ACL_STREAM_STATUS_COMPLETE; }
constexpr bool is_complete(aclrtEventStatus status) { return status == ACL_EVENT_STATUS_COMPLETE; }
constexpr bool is_complete(aclrtEventRecordedStatus status) { return status == ACL_EVENT_RECORDED_STATUS_COMPLETE; }

template <stream::EntryPoint kEntry, typename Handle, typename Status>
aclError ask(const stream::QueueMark& mark, Handle handle, Status* status) {
    const aclError code = stream::driver<kEntry>()(handle, status);
    const stream::KeepErrno keep;
    if (code == ACL_SUCCESS && status != nullptr && is_complete(*status)) stream::completed_up_to(mark);
    return code;
}

template <stream::EntryPoint kEntry>
aclError ask_stream(aclrtStream stream, aclrtStreamStatus* status) {
    return ask<kEntry>(stream::mark_of(stream::known_entry_of(stream, false)), stream, status);
}

template <stream::EntryPoint kEntry, typename Status>
aclError ask_event(aclrtEvent event, Status* status) {
    return ask<kEntry>(stream::last_record(event), event, status);
}

}  // namespace xsched::ascend
