// Calls into the vendor's library whose names differ between platforms only by their prefix: VENDOR(StreamQuery) is
// cuStreamQuery or hipStreamQuery. The platform's vendor.h includes this after its types. Any thread.
#pragma once

namespace xsched::stream {

// The names of the driver's functions for log lines.
inline constexpr const char* kWaitFunction = XSCHED_NAME(VENDOR(StreamWaitValue32));
inline constexpr const char* kWriteFunction = XSCHED_NAME(VENDOR(StreamWriteValue32));
inline constexpr const char* kRecordFunction = XSCHED_NAME(VENDOR(EventRecord));
inline constexpr const char* kSynchronizeFunction = XSCHED_NAME(VENDOR(EventSynchronize));
inline constexpr const char* kSetFunction = XSCHED_NAME(VENDOR(MemsetD8Async));

// Returns a stream's priority as an XQueue's: larger is more urgent. The vendors use the reverse order.
inline int32_t stream_priority(const Api& api, Stream stream) {
    int priority = 0;
    api.VENDOR(StreamGetPriority)(stream, &priority);
    return -priority;
}
// Returns whether the stream and the legacy default stream wait for each other.
inline bool stream_blocks(const Api& api, Stream stream) {
    unsigned flags = 0;
    api.VENDOR(StreamGetFlags)(stream, &flags);
    return (flags & kNonBlocking) == 0;
}

inline Result capture_status(const Api& api, Stream stream, int* status) {
    return api.VENDOR(StreamIsCapturing)(stream, status);
}
inline bool asks_capturing(const Api& api, Stream stream) {
    int status = kNotCapturing;
    // An error also counts as capturing: for example, the legacy stream beside a captured blocking stream.
    return capture_status(api, stream, &status) != kSuccess || status != kNotCapturing;
}

inline bool stream_is_idle(const Api& api, Stream stream) { return api.VENDOR(StreamQuery)(stream) == kSuccess; }

inline Result event_record(const Api& api, Event event, Stream stream) {
    return api.VENDOR(EventRecord)(event, stream);
}
inline Result event_query(const Api& api, Event event) { return api.VENDOR(EventQuery)(event); }
inline Result event_synchronize(const Api& api, Event event) { return api.VENDOR(EventSynchronize)(event); }

}  // namespace xsched::stream
