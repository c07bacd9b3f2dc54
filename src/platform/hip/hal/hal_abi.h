// What libhalhip offers the HIP shim beyond stream/hal/hal_abi.h: C ABI, any thread.
#pragma once

#include "platform/stream/hal/hal_abi.h"

extern "C" {
#pragma GCC visibility push(default)

// The device of an ordinary stream; NULL: the runtime does not know it.
xsched::stream::Context xhip_context_of(xsched::stream::Stream stream);

// The calling thread is ending, and what the runtime keeps for it is gone: none of our calls reaches the runtime from
// here.
void xhip_thread_over(void);

// How many of our own calls this thread is inside of: hooks then lead straight to the runtime. Read in every call, and
// so without a look for the thread's storage or for an initialization.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local uint32_t xhip_own_calls;
// The error that our calls have hidden from hipGetLastError; `take`: and forget it.
int xhip_hidden_error(bool take);
// dlsym of the C library, past the shim's own; the function itself for calls that depend on who makes them (RTLD_NEXT).
void* xhip_dlsym(void* library, const char* name);
typedef void* (*XhipDlsym)(void* library, const char* name);
XhipDlsym xhip_real_dlsym(void);

#pragma GCC visibility pop
}
