// The functions of libhalhip for the HIP shim, beyond stream/hal/hal_abi.h: C ABI, any thread.
#pragma once

#include "platform/stream/hal/hal_abi.h"
#include "platform/stream/hal/hardware_use.h"

extern "C" {
#pragma GCC visibility push(default)

// Returns the device of an ordinary stream, as a context; NULL: the runtime does not know the stream.
xsched::stream::Context xhip_context_of(xsched::stream::Stream stream);

// Notes that the calling thread is ending, and that the runtime's data for the thread is gone: from now on XSched makes
// no calls to the runtime on it.
void xhip_thread_over(void);

// How many of XSched's own calls this thread is inside of. If it is not 0, hooks lead straight to the runtime. Every
// call reads it, so the declaration avoids a look-up of the thread's storage and an initialization check.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local uint32_t xhip_own_calls;
// Returns the error that XSched's own calls have hidden from hipGetLastError. `take`: forgets it as well.
int xhip_hidden_error(bool take);
// Returns the thread's last error as the runtime has it. After a call that the hooks made of several, or of none,
// xhip_settle_error leaves there what one call of the runtime that returned `code` would leave; `before`: what it was.
int xhip_last_error(void);
void xhip_settle_error(int before, int code);

// --- the HSA runtime's queues (hsa_observer.h)
// Called when such a queue (an hsa_queue_t*, with the handle of its agent) was made, is about to be destroyed, got
// another priority, or got a mask.
void xhip_queue_made(const void* queue, uint64_t agent);
void xhip_queue_going(const void* queue);
void xhip_queue_priority(const void* queue, uint32_t priority);
void xhip_queue_masked(const void* queue);
// xhip_queues_observed returns whether any hardware queue is observed; xhip_streams_move returns whether a stream was
// ever seen to move to another hardware queue.
bool xhip_queues_observed(void);
bool xhip_streams_move(void);

// Tells the HAL where the shim stores what it learns about the hardware use of this stream. The memory stays valid.
void xhip_follow_use(HwQueueHandle hwq, const xsched::stream::HardwareUse* use);
// Returns the number of the stream's hardware queue; 0: not known.
uint32_t xhip_queue_number(HwQueueHandle hwq);

// --- queues that the program fills itself, through HSA (direct_queue.cpp)
// Where the agent lies: HSA_AMD_AGENT_INFO_DOMAIN and _BDFID.
struct XhipPlace {
    uint32_t domain;
    uint32_t bdf;
};
// Wraps one of the observed queues.
XResult xhip_direct_wrap(HwQueueHandle* hwq, const void* hsa_queue, const XhipPlace* place);
// Notes that the queue's doorbell was rung: every packet in the queue by now is a command.
void xhip_direct_rung(HwQueueHandle hwq);

// The state of the hardware queues before one call of the runtime for a stream, to find which queues the call has used.
// On the caller's stack; only as much of it is written as is needed.
struct XhipCallWatch {
    uint32_t main;  // the stream's queue as known before; 0: not known
    uint32_t count;  // of `before`; 0: only the main queue is looked at
    uint64_t main_before;
    uint64_t before[xsched::stream::kMostHardwareQueues];
};
// `wide`: the call may use other queues beside the stream's own (a graph, a cooperative launch).
void xhip_call_begins(const xsched::stream::HardwareUse* use, bool wide, XhipCallWatch* watch);
// Returns whether the stream's queue has changed.
bool xhip_call_returned(xsched::stream::HardwareUse* use, bool wide, const XhipCallWatch* watch);
// Notes that a report of XSched's own, put behind the call, is in the queue as well.
void xhip_call_settled(const xsched::stream::HardwareUse* use);

#pragma GCC visibility pop
}
