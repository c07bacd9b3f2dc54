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

// Opens the vendor's library, once: the one that the platform's environment variable names if that is one, else the one
// that the program would use without a shim (platform/<p>/hal/vendor_library.cpp). The dlopen handle, or NULL: there is
// none, and the log has said so.
void* HAL(open_driver)(void);
// The dynamic linker's own dlsym (linker.h), past those that a profiler or a shim puts in front.
typedef void* (*HAL(Dlsym))(void* library, const char* name);
HAL(Dlsym) HAL(dlsym)(void);
// The vendor's functions that XSched itself calls; NULL: nothing can be scheduled.
const xsched::stream::Api* HAL(api)(void);

// Wraps a stream for the shim. `kind` is a StreamKind; `context` the one it belongs to; for a per-thread default stream
// the calling thread must be its own. NotAllowed: it is wrapped already.
XResult HAL(wrap)(xsched::stream::WrappedStream* wrapped, uint32_t kind, xsched::stream::Stream stream,
                  xsched::stream::Context context);
XResult HAL(find)(HwQueueHandle* hwq, uint32_t kind, xsched::stream::Stream stream, xsched::stream::Context context);

// Tries on the context's device what else its first stream would try (gate_trial.h), where the platform tries anything.
// Takes some milliseconds, once for each device.
void HAL(try_gates)(xsched::stream::Context context);

// Between the two no call of ours is inside the driver for any stream: a stream capture that begins meanwhile cannot
// have one slip into it. Short; may nest.
void HAL(pause)(void);
void HAL(unpause)(void);

// The context is about to be destroyed: memory registered through it is forgotten, and what is off the device returns.
void HAL(context_going)(xsched::stream::Context context);

// Whether it is to be told of a large copy that leaves its device. Level 3 may have to take such copies off as well.
int HAL(copies_matter)(void);
void HAL(note_copies)(void);

// A call to the vendor's kernel driver on its way; `next` makes it. Returns what it returned, errno as it left it.
int HAL(ioctl)(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*));

#pragma GCC visibility pop
}

namespace xsched::stream {

// The same under names that code shared by shims uses.
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
