// The functions of a device library for streams, for the shim of the same process: C ABI, any thread. HAL(wrap) is
// xcu_wrap in libhalcuda.so and xhip_wrap in libhalhip.so (vendor.h).
#pragma once

#include "queue/device.h"
#include "vendor.h"
#include "xsched/types.h"

namespace xsched::stream {

struct WrappedStream {
    HwQueueHandle hwq;
    int32_t priority;  // as an XQueue's: larger is more urgent
    bool blocking;     // waits for, and is waited for by, the legacy default stream
};

}  // namespace xsched::stream

extern "C" {
#pragma GCC visibility push(default)

// Opens the vendor's library once: the one that the platform's environment variable names if it is the vendor's,
// otherwise the one that the program would use without a shim (platform/<p>/hal/vendor_library.cpp). Returns the dlopen
// handle, or NULL, after a log line, if there is none.
void* HAL(open_driver)(void);
// Returns the dynamic linker's own dlsym (linker.h), bypassing those of profilers and shims.
typedef void* (*HAL(Dlsym))(void* library, const char* name);
HAL(Dlsym) HAL(dlsym)(void);
// Returns the vendor's functions that XSched itself calls; NULL: nothing can be scheduled.
const xsched::stream::Api* HAL(api)(void);

// Wraps a stream for the shim. `kind` is a StreamKind; `context` the one it belongs to; for a per-thread default stream
// the calling thread must be its own. NotAllowed: it is wrapped already.
XResult HAL(wrap)(xsched::stream::WrappedStream* wrapped, uint32_t kind, xsched::stream::Stream stream,
                  xsched::stream::Context context);
XResult HAL(find)(HwQueueHandle* hwq, uint32_t kind, xsched::stream::Stream stream, xsched::stream::Context context);

// Tries on the context's device what its first stream would try otherwise (gate_trial.h), if the platform tries gates.
// Takes some milliseconds, once per device.
void HAL(try_gates)(xsched::stream::Context context);

// HAL(pause) waits until none of XSched's own calls is inside the driver, and lets none begin before HAL(unpause). So
// none can slip into a stream capture that begins. Keep the time short; pairs may nest.
void HAL(pause)(void);
void HAL(unpause)(void);

// Forgets memory registered through a context that is about to be destroyed, and puts work that is off the device back.
void HAL(context_going)(xsched::stream::Context context);

// Returns whether the library must be told of a large copy that leaves its device: level 3 may have to stop such copies
// as well.
int HAL(copies_matter)(void);
void HAL(note_copies)(void);

// Makes a call to the vendor's kernel driver by `next`. Returns its result and keeps its errno.
int HAL(ioctl)(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*));

#pragma GCC visibility pop
}

namespace xsched::stream {

// These functions give those above names that code shared by all shims can use.
inline const Api* hal_api() { return HAL(api)(); }
inline HAL(Dlsym) hal_dlsym() { return HAL(dlsym)(); }
inline XResult hal_wrap(WrappedStream* wrapped, uint32_t kind, Stream stream, Context context) {
    return HAL(wrap)(wrapped, kind, stream, context);
}
inline XResult hal_find(HwQueueHandle* hwq, uint32_t kind, Stream stream, Context context) {
    return HAL(find)(hwq, kind, stream, context);
}
inline void hal_try_gates(Context context) { HAL(try_gates)(context); }
inline void hal_pause() { HAL(pause)(); }
inline void hal_unpause() { HAL(unpause)(); }
inline void hal_context_going(Context context) { HAL(context_going)(context); }
inline bool hal_copies_matter() { return HAL(copies_matter)() != 0; }
inline void hal_note_copies() { HAL(note_copies)(); }
inline int hal_ioctl(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*)) {
    return HAL(ioctl)(fd, request, argument, next);
}

}  // namespace xsched::stream
