// The steps of programs with streams and events, alike on CUDA and HIP but for the beginning of the functions' names.
// vendor.h includes it behind its types, and defines BUSY_FUNCTION(Name), the function, and BUSY_PREFIX, the beginning
// of its name. Functions throw as in vendor.h.
#pragma once

namespace busy::vendor {

#define BUSY_CALL(name, ...) check(BUSY_FUNCTION(name)(__VA_ARGS__), BUSY_PREFIX #name)

inline void wait(Stream stream) { BUSY_CALL(StreamSynchronize, stream); }
inline void destroy(Stream stream) { BUSY_FUNCTION(StreamDestroy)(stream); }

inline void record(Event event, Stream stream) { BUSY_CALL(EventRecord, event, stream); }
inline void wait(Event event) { BUSY_CALL(EventSynchronize, event); }
inline float milliseconds(Event begin, Event end) {
    float ms = 0;
    BUSY_CALL(EventElapsedTime, &ms, begin, end);
    return ms;
}
inline void destroy(Event event) { BUSY_FUNCTION(EventDestroy)(event); }

#undef BUSY_CALL

}  // namespace busy::vendor
