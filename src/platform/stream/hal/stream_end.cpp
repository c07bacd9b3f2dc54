#include "platform/stream/hal/stream_end.h"

#include "base/log.h"
#include "platform/stream/hal/driver_use.h"

namespace xsched::stream {

XResult checked(HwQueue& hwq, const char* function, Result code) {
    if (code == kSuccess) return kXSchedSuccess;
    const char* name = error_name(*hwq.api, code);
    if (torn_down(code) || hwq.refused.exchange(true, std::memory_order_relaxed))
        XLOG_DEBG("%s error %d (%s) from %s on stream %p", kVendor, code, name, function,
                  static_cast<void*>(hwq.stream));
    else
        XLOG_WARN("%s error %d (%s) from %s on stream %p: its work is not kept track of from here on", kVendor, code,
                  name, function, static_cast<void*>(hwq.stream));
    return kXSchedErrorHardware;
}

Event mark_end(HwQueue& hwq, XResult* result) {
    const DriverUse use(hwq);
    *result = use.verdict();
    if (*result == kXSchedSuccess && use.capturing()) *result = kXSchedErrorNotAllowed;
    if (*result != kXSchedSuccess) return nullptr;
    const RelaxedCapture relaxed(*hwq.api);
    Event end = nullptr;
    Result code = event_create(*hwq.api, &end);
    if (code == kSuccess) code = event_record(*hwq.api, end, hwq.stream);
    *result = checked(hwq, kRecordFunction, code);
    if (code == kSuccess || end == nullptr) return end;
    event_destroy(*hwq.api, end);
    return nullptr;
}

Result wait_for(HwQueue& hwq, Event end) {
    InContext current;
    current.enter(*hwq.api, hwq.context);
    const RelaxedCapture relaxed(*hwq.api);
    const Result code = event_synchronize(*hwq.api, end);
    event_destroy(*hwq.api, end);
    return code;
}

}  // namespace xsched::stream
