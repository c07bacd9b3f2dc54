// The functions of libpreempt for the backends and shims of the same process: C ABI, all functions any thread unless
// said.
//
// The path of one enqueue in a shim:
//     XqTicket t;
//     xq_admit(queue, &t);            // may call the backend (a hold, a gate); blocks only on gated devices
//     if (t.verdict == kXqBuffer)     // devices without holds, no room: hand in a copy, done
//         return xq_buffer(queue, &t, copy);
//     rc = driver_call(..., t.hold ? wait list plus t.hold : wait list, t.token ? &event : ...);
//     xq_launched(queue, &t, rc == 0 ? kXqSucceeded : kXqFailed);  // before the callback is attached or after
//     if (t.token) attach xq_complete(t.token) to the event
// The caller holds no lock of ours during the driver's call.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "queue/abi/abi_types.h"
#include "queue/device.h"
#include "queue/ticket.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

// --- HwQueues: wraps the vendor's queue. `vendor` is its handle (for lookup and display), `impl` the backend's object
// given back to every op. `device` is the XDevice, equal in all processes for one device.
XResult xq_hwq_create(HwQueueHandle* handle, const XqDeviceOps* ops, void* impl, uint64_t vendor, XDevice device);
// Level 3 of the device pauses for this process, or comes back, as XqStopState says from now on. The caller may hold
// locks of its own, but none that its `state` takes.
void xq_level_changed(XDevice device);
// Names the device for people; called before its first queue is created.
void xq_name_device(XDevice device, const char* name);
XResult xq_hwq_find(HwQueueHandle* handle, XPlatform platform, uint64_t vendor);
void* xq_hwq_impl(HwQueueHandle handle);

// The program makes a queue or a context. A sandbox may take rights from it before its first command, so what needs
// these is done now: the connection to the scheduler, and our threads. `errands`: also that which calls the vendor's
// driver for such queues (agent/errands.h).
void xq_begin(bool errands);
// Whether it has entered a sandbox since (base/confinement.h).
bool xq_entered_sandbox(void);

// --- XQueues by pointer, for shims. The pointer stays valid memory for the process's life (stale use is refused).
// Creates one with the environment's level, window and priority; starts the agent with the process's first queue.
// NULL: not scheduled (XSCHED_AUTO_XQUEUE=OFF, out of queues); the reason is in the log.
XqQueue* xq_auto_create(HwQueueHandle handle, Priority vendor_priority);
XqQueue* xq_from_handle(XQueueHandle handle);

// The vendor's queue goes away: work already given to the driver finishes by itself, and holds are opened as the window
// and the scheduler allow. The queue is forgotten when it is empty. Returns at once.
void xq_retire(XqQueue* queue, XqRetire how);

// --- the path of one command
void xq_admit(XqQueue* queue, XqTicket* ticket);
// The same for a marker, which takes a place in the queue but no time of the device: an event's record, a wait for one.
void xq_admit_marker(XqQueue* queue, XqTicket* ticket);
// Gated devices: the same for a command that waits for what the device does not end (stand_places.h): a value that the
// host stores, a host function, a semaphore, an event of another device or process.
void xq_admit_wait(XqQueue* queue, XqTicket* ticket);

// A command that waits for what its device does not end: the host, another program or another device does (standing.h).
// While all that the queue has stands, it has no work for the device and nobody makes room for it. The caller begins
// the stand, admits the command that waits with it, and says when the wait is over. The end may come at any time, also
// before the command is admitted. A command that the driver refuses ends its stand.
// `blocks_all`: all that is submitted later comes behind the wait, also where the queue keeps no order (a barrier). 0:
// there are too many, or no memory: the command counts as work.
XqStand xq_stand_begins(XqQueue* queue, bool blocks_all);
// In the place of xq_admit, with a stand that is not 0.
void xq_admit_standing(XqQueue* queue, XqTicket* ticket, XqStand stand);
// The driver has a wait that is no command (a barrier). xq_launched does the same for commands.
void xq_stand_given(XqQueue* queue, XqStand stand);
void xq_stand_over(XqQueue* queue, XqStand stand);
bool xq_has_stands(XqQueue* queue);
// Whether its commands complete in the order in which they were launched.
bool xq_keeps_order(XqQueue* queue);
// As told to xq_hwq_create.
XDevice xq_device(XqQueue* queue);

// Gated devices: copies. While a more urgent unit may come, a large copy is launched in pieces, each of which has a
// gate before it: what the device is in the middle of is then no more than one piece. False: nobody is to be made room
// for, and copies are launched whole.
bool xq_copies_in_pieces(XqQueue* queue);
// The caller is about to launch such a copy. Until xq_split_over on the same thread nothing of other threads comes into
// the middle of it: their launches wait as at a full window. False: not now, calls of others are on their way.
bool xq_split_begins(XqQueue* queue);
void xq_split_over(XqQueue* queue);
// How much of a copy of `bytes` in all the caller is to launch next; 0: all that is left.
uint64_t xq_copy_piece(XqQueue* queue, XqCopyKind kind, uint64_t bytes);
// In the place of xq_admit.
void xq_admit_piece(XqQueue* queue, XqTicket* ticket, const XqPiece* piece);

void xq_launched(XqQueue* queue, XqTicket* ticket, uint32_t outcome);  // XqOutcome
// The command that was admitted is a copy of memory, or a piece of one: it is counted for people. `bytes`: as far as
// the call tells, else 0. Other commands pay nothing for it.
void xq_note_copy(XqQueue* queue, uint64_t bytes);
XResult xq_buffer(XqQueue* queue, XqTicket* ticket, XqCommand* command);  // queue owns `command` from here on
void xq_complete(XqToken token);

// Gated devices: a marker that the program may wait for (an event's record) was launched; its completion is reported.
void xq_report_marker(XqQueue* queue, XqAskLater later);

// Gated devices. The caller is about to wait for work of the queue. While others are being kept off the device for it,
// the device stays with it until its next launch (XqKeepAliveOps). Calls the backend. False: not done.
bool xq_keep_alive(XqQueue* queue, XqReturn when);
// The caller is about to launch, by a call that may wait for what is in the stream: a keep-alive there ends soon, as
// behind a launch.
void xq_follow_keep_alive(XqQueue* queue);
// The caller is about to ask or wait for the stream in another way: a keep-alive there ends, in a moment.
void xq_end_keep_alive(XqQueue* queue);
// Likewise for a whole context: also one that is held before a burst, of any queue of the process.
void xq_end_held_keep_alive(void);
// Likewise, and the call frees memory of the device. While the program does so again and again, none is held before its
// bursts: allocations and releases took longer beside one than a switch does (docs/decisions/013).
void xq_frees_memory(void);
// The caller is the program, about to have its first work: the device gets to know the queue's words now, and what a
// keep-alive needs is prepared, if the queue may ever have one. Later that would be done in the program's first burst,
// and beside its launches, which may wait for it in the driver.
void xq_prepare_early(XqQueue* queue);
// Whether the process has victims, and keeps the device from them through its pauses.
bool xq_keeps_device(XqQueue* queue);
// When a more urgent program's copies are foreseen, as ipc::Header::copy_burst_ns; 0: they are not.
int64_t xq_copy_burst_ns(XqQueue* queue);
// Whether everything launched is known to be complete. `xq_is_idle`: and whether the driver says so, too, which knows
// of all that is in the stream. Calls the backend.
bool xq_all_complete(XqQueue* queue);
bool xq_is_idle(XqQueue* queue);
// True: no work of the program's own is in flight, but some of ours may be (a keep-alive, a progress report). A driver
// that calls the stream busy means that.
bool xq_only_keep_alive_pending(XqQueue* queue);

// Around the driver's call of a command, where the process has queues of several priorities: a call may wait for work
// of other queues (a kernel's first launch), or for a lock that another call holds meanwhile.
void xq_driver_call(XqQueue* queue, XqDriverCall what);

// Gated devices: the caller is about to make a call of the driver's that returns when work of the queue is complete.
// Its return will tell that end. And the call has returned.
void xq_wait_begins(XqQueue* queue);
void xq_wait_ended(XqQueue* queue);

// A synchronize of the whole vendor queue returned: everything launched before it began is complete.
// Take `xq_sync_begin`'s value before the driver's call.
uint64_t xq_sync_begin(XqQueue* queue);
void xq_sync_end(XqQueue* queue, uint64_t mark);

// `consumer` is about to wait, on the device, for work of `producer`: until that is complete the producer counts as
// at least as urgent as the consumer.
void xq_inherit_priority(XqQueue* consumer, XqQueue* producer);

// An event that several processes have was recorded in the queue, or is about to be waited for there. Its number is the
// same in all of them. While another process's more urgent queue waits for it, the recording process counts as equally
// urgent.
void xq_shared_event(XqQueue* queue, uint64_t event, XqSharedUse use);

// As somebody last set it, without what it inherits. PRIORITY_NO_EXECUTE: the queue is gone.
int32_t xq_priority(XqQueue* queue);

// `consumer` is about to get a command, and work of `producer` may stand before it in one hardware queue, gates
// included. If the producer is the less urgent one it has little in flight from here on, while anybody more urgent may
// come, and no gate: its callers wait in xq_admit instead. Work behind a gate already inherits the priority.
void xq_share_hardware(XqQueue* consumer, XqQueue* producer);
// `queue` is about to get a command, and work of `other` may come to stand behind it in one hardware queue. If `queue`
// is the less urgent one it is kept short as above, also before `other` has any work.
void xq_stand_before(XqQueue* queue, XqQueue* other);
// The queue shares its hardware queue with nobody any more.
void xq_end_sharing(XqQueue* queue);

// Whether level 3 takes this queue off the device by itself, not together with its process's others there.
void xq_set_apart(XqQueue* queue, bool apart);

// Blocks until nothing is buffered in the core (devices without holds, or callback commands): a call that must stay
// ordered behind buffered commands but cannot be buffered itself. Returns at once in the usual case.
void xq_drain(XqQueue* queue);

// The object that `words_owner` names (device.h) goes, and all that was registered with it.
void xq_words_owner_gone(uint64_t owner);

// The data with which a scheduler takes this process's work off a device, and puts it back, if the process does not
// answer: goes to xserver with a descriptor. Only the platform's own code knows what the bytes mean; they are copied.
typedef struct XqHandover {
    XPlatform platform;
    uint32_t bytes;  // 0: what was handed over under this key is withdrawn
    XDevice device;
    uint64_t key;  // its name among those of this process
    const void* data;
    int fd;  // stays the caller's; sent as it is by then
    void (*undo)(void);  // undoes whatever the scheduler did with it: called when that is gone
} XqHandover;
void xq_hand_over(const XqHandover* handover);

// The process's version of everything above; a backend refuses to work with another.
uint32_t xq_abi_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
