// The functions of libhallevelzero for the Level Zero shim of the same process: C ABI, any thread.
#pragma once

#include "platform/levelzero/hal/api.h"
#include "queue/abi/queue_abi.h"
#include "queue/device.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef void* (*XzeDlsym)(void* library, const char* name);

// Returns the vendor's loader: the library that XSCHED_LEVELZERO_LIB names if it is one, otherwise the one that the
// dynamic linker finds. The dlopen handle stays open. NULL: there is none; the log says so once.
void* xze_open_library(void);
// Returns the dynamic linker's own dlsym.
XzeDlsym xze_dlsym(void);
// Hands over the functions to use from now on; they are copied. False if one is missing: then nothing was changed.
bool xze_use_api(const xsched::levelzero::ZeApi* api);

// A command queue, or an immediate command list, as the program has created it.
typedef struct XzeQueue {
    xsched::levelzero::ze_context_handle_t context;
    xsched::levelzero::ze_device_handle_t device;
    xsched::levelzero::ze_command_list_handle_t list;  // NULL: a command queue
    uint32_t ordinal;
    bool in_order;
} XzeQueue;

// Wraps the queue or list. `vendor`: its handle. `waits`: set if the device's work must not be held back in the driver
// (an NPU): callers wait instead.
XResult xze_wrap(HwQueueHandle* hwq, const XzeQueue* queue, uint64_t vendor, bool* waits);
// Tells which XQueue the wrapper serves. Call once, before the first command.
void xze_serve(HwQueueHandle hwq, XqQueue* xqueue);

// An event of ours and, for command queues, a closed list: the list waits for the event (a hold), or signals it.
typedef struct XzeMark {
    xsched::levelzero::ze_event_handle_t event;
    xsched::levelzero::ze_command_list_handle_t list;
} XzeMark;

// Returns the mark of a ticket's hold, to be waited for before the command.
const XzeMark* xze_mark_of_hold(void* hold);
// Returns the mark to be signalled behind the next command; NULL: the driver or the memory refuses. One of the two
// calls below follows. `impl`: xq_hwq_impl's.
XzeMark* xze_next_mark(void* impl);
// Puts the queue's gate, if it has one, before the next command, whose end `mark` tells. Returns what the command is to
// wait for besides; NULL: nothing. `held`: it waits for a hold. Belongs to `mark`.
const XzeMark* xze_put_gate(void* impl, XzeMark* mark, bool held);
// Notes that the driver has got the command. The token is reported when the mark is signalled.
void xze_launched(void* impl, XzeMark* mark, XqToken token);
// Notes that nothing will signal the mark.
void xze_refused(void* impl, XzeMark* mark);
// Reports what is complete, of one queue or of all.
void xze_look(void* impl);
void xze_look_at_all(void);
// Call before the queue or list is destroyed, then retire the XQueue: reports everything, and gives up the driver's
// objects.
void xze_end(void* impl);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
