// What libhalhip offers the HIP shim of the same process: C ABI, any thread.
#pragma once

#include "platform/hip/hal/vendor.h"
#include "queue/device.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// Opens the vendor's runtime, once: the one named by XSCHED_HIP_LIB if that is one, else the one that the process has
// loaded, else the one that the dynamic linker would find if no shim bore its name. The dlopen handle, or NULL: there
// is none, and the log has said so.
void* xhip_open_driver(void);
// The runtime's functions that XSched itself calls; NULL: nothing can be scheduled.
const xsched::hip::HipApi* xhip_api(void);

typedef struct XhipStream {
    HwQueueHandle hwq;
    int32_t priority;       // as an XQueue's: larger is more urgent
    bool blocking;          // waits for, and is waited for by, the NULL stream
} XhipStream;

// Wraps a stream for the shim. `kind` is a StreamKind; `context` its device; for a per-thread default stream the
// calling thread must be its own. NotAllowed: it is wrapped already.
XResult xhip_wrap(XhipStream* wrapped, uint32_t kind, xsched::stream::Stream stream, xsched::stream::Context context);
XResult xhip_find(HwQueueHandle* hwq, uint32_t kind, xsched::stream::Stream stream, xsched::stream::Context context);
// The device of an ordinary stream; NULL: the runtime does not know it.
xsched::stream::Context xhip_context_of(xsched::stream::Stream stream);

// Between the two no call of ours is inside the runtime for any stream: a stream capture that begins meanwhile cannot
// have one slip into it. Short; may nest.
void xhip_pause(void);
void xhip_unpause(void);

// The device is about to be reset: memory registered for it is forgotten.
void xhip_context_going(xsched::stream::Context context);

// One call to AMD's kernel driver on its way; `next` makes it.
int xhip_ioctl(int fd, unsigned long request, void* argument, int (*next)(int, unsigned long, void*));

// The calling thread is ending, and what the runtime keeps for it is gone: none of our calls reaches the runtime from
// here.
void xhip_thread_over(void);

// How many of our own calls this thread is inside of: hooks then lead straight to the runtime. Read in every call, and so
// without a look for the thread's storage or for an initialization.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local uint32_t xhip_own_calls;
// The error that our calls have hidden from hipGetLastError; `take`: and forget it.
int xhip_hidden_error(bool take);
// dlsym of the C library, past the shim's own; the function itself for calls that depend on who makes them (RTLD_NEXT).
void* xhip_dlsym(void* library, const char* name);
typedef void* (*XhipDlsym)(void* library, const char* name);
XhipDlsym xhip_real_dlsym(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
