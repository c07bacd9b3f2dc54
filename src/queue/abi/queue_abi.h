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
// Tells that level 3 of the device is no longer possible for this process, or is possible again; XqStopState says
// which. The caller may hold locks of its own, but none that its `state` takes.
void xq_level_changed(XDevice device);
// Names the device for people; called before its first queue is created.
void xq_name_device(XDevice device, const char* name);
XResult xq_hwq_find(HwQueueHandle* handle, XPlatform platform, uint64_t vendor);
void* xq_hwq_impl(HwQueueHandle handle);

// Connects to the scheduler and starts our threads. Call when the program makes a queue or a context: a sandbox may
// take the rights for this from it before its first command. `errands`: also starts the thread that calls the vendor's
// driver for such queues (agent/errands.h).
void xq_begin(bool errands);
// Returns whether the process has entered a sandbox since xq_begin (base/confinement.h).
bool xq_entered_sandbox(void);

// --- XQueues by pointer, for shims. The pointer stays valid memory for the process's life (stale use is refused).
// Creates an XQueue with the environment's level, window and priority; starts the agent with the process's first queue.
// Returns NULL if the queue is not scheduled (XSCHED_AUTO_XQUEUE=OFF, out of queues); the reason is in the log.
XqQueue* xq_auto_create(HwQueueHandle handle, Priority vendor_priority);
XqQueue* xq_from_handle(XQueueHandle handle);

// Notes that the vendor's queue goes away. Work already given to the driver finishes by itself, and holds are opened as
// the window and the scheduler allow. The queue is forgotten when it is empty. Returns at once.
void xq_retire(XqQueue* queue, XqRetire how);

// --- the path of one command
void xq_admit(XqQueue* queue, XqTicket* ticket);
// Like xq_admit, for a marker: a command that takes a place in the queue but no device time, such as an event's record.
void xq_admit_marker(XqQueue* queue, XqTicket* ticket);
// Like xq_admit, on gated devices, for a command that waits for something that the device itself does not end
// (stand_places.h): a value that the host stores, a host function, a semaphore, an event of another device or process.
void xq_admit_wait(XqQueue* queue, XqTicket* ticket);

// Like xq_admit, on held devices, for a command that must carry no hold: what it signals, another program may wait for
// as soon as the call returns. The caller waits while the queue may not run. Everything that was held before it is let
// go, whatever the window says.
void xq_admit_unheld(XqQueue* queue, XqTicket* ticket);
// Returns whether the end of a command must be noticed at once: another program may compete, or commands are held.
bool xq_is_followed(XqQueue* queue);

// The calls for a command whose wait is ended by the host, another program or another device, not by the command's own
// device (standing.h). While all that the queue has stands, it has no work for the device and no unit makes room for
// it. The caller begins the stand, admits the command that waits with it, and says when the wait is over. The end may
// come at any time, also before the command is admitted. A command that the driver refuses ends its stand.
// `blocks_all`: all that is submitted later comes behind the wait, also where the queue keeps no order (a barrier). 0:
// there are too many, or no memory: the command counts as work.
XqStand xq_stand_begins(XqQueue* queue, bool blocks_all);
// Replaces xq_admit for a command with a stand that is not 0.
void xq_admit_standing(XqQueue* queue, XqTicket* ticket, XqStand stand);
// Notes that the driver has got a wait that is no command (a barrier). For commands xq_launched says so.
void xq_stand_given(XqQueue* queue, XqStand stand);
void xq_stand_over(XqQueue* queue, XqStand stand);
bool xq_has_stands(XqQueue* queue);
// Returns whether the queue's commands complete in launch order.
bool xq_keeps_order(XqQueue* queue);
// Returns the device given to xq_hwq_create.
XDevice xq_device(XqQueue* queue);

// Gated devices: returns whether large copies should be launched in pieces now, because a more urgent unit may come.
// Each piece has a gate before it, so the device is never busy with more than one piece. Otherwise copies are launched
// whole.
bool xq_copies_in_pieces(XqQueue* queue);
// Begins a copy in pieces. Until xq_split_over on the same thread, other threads' launches on the queue wait as at a
// full window. Returns false if that is impossible now, because calls of others are under way.
bool xq_split_begins(XqQueue* queue);
void xq_split_over(XqQueue* queue);
// Returns how many bytes of a copy of `bytes` to launch next; 0: all that are left.
uint64_t xq_copy_piece(XqQueue* queue, XqCopyKind kind, uint64_t bytes);
// Replaces xq_admit for a piece.
void xq_admit_piece(XqQueue* queue, XqTicket* ticket, const XqPiece* piece);

void xq_launched(XqQueue* queue, XqTicket* ticket, uint32_t outcome);  // XqOutcome
// Counts the admitted command as a copy, for tools. `bytes`: as far as the call tells, otherwise 0. Other commands cost
// nothing extra.
void xq_note_copy(XqQueue* queue, uint64_t bytes);
XResult xq_buffer(XqQueue* queue, XqTicket* ticket, XqCommand* command);  // the queue owns `command` from here on
void xq_complete(XqToken token);

// Gated devices: call when a marker was launched for which the program may wait (an event's record). Makes sure that
// its completion is reported.
void xq_report_marker(XqQueue* queue, XqAskLater later);

// Gated devices: call before the program does something to which a keep-alive must react (XqKeepAliveOps): the
// keep-alive begins or ends. May call the backend. For some values there is no queue (NULL). Returns what the value
// says, otherwise false.
bool xq_about_to(XqQueue* queue, XqAbout what);
// Returns whether the process has victims and keeps the device through its pauses.
bool xq_keeps_device(XqQueue* queue);
// Returns when a more urgent program's copies are foreseen, as ipc::Header::copy_burst_ns; 0: they are not.
int64_t xq_copy_burst_ns(XqQueue* queue);
// xq_all_complete returns whether everything launched is known to be complete. xq_is_idle also asks the driver, which
// knows of all work in the stream. It calls the backend.
bool xq_all_complete(XqQueue* queue);
bool xq_is_idle(XqQueue* queue);
// Returns whether only work of ours may be in flight (a keep-alive, a progress report). A driver that reports the
// stream busy then means that work.
bool xq_only_keep_alive_pending(XqQueue* queue);

// Call before and after the driver's call of a command, if the process has queues of several priorities. Such a call
// may wait for other queues' work (a kernel's first launch), or for a lock that another call holds.
void xq_driver_call(XqQueue* queue, XqDriverCall what);

// Gated devices: call before and after a driver call that returns when the queue's work is complete, and so tells its
// end.
void xq_wait_begins(XqQueue* queue);
void xq_wait_ended(XqQueue* queue);

// For a synchronize of the whole vendor queue: xq_sync_begin, called before the driver's call, returns a mark of what
// was launched so far; xq_sync_end, called after it, notes that everything up to that mark is complete.
uint64_t xq_sync_begin(XqQueue* queue);
void xq_sync_end(XqQueue* queue, uint64_t mark);

// `consumer` is about to wait, on the device, for work of `producer`: until that is complete the producer counts as
// at least as urgent as the consumer.
void xq_inherit_priority(XqQueue* consumer, XqQueue* producer);

// Notes that an event that several processes share was recorded in the queue, or is about to be waited for there.
// `event` is the same number in all of these processes. While another process's more urgent queue waits for the event,
// the recording process counts as equally urgent.
void xq_shared_event(XqQueue* queue, uint64_t event, XqSharedUse use);

// Returns the priority as last set, without what the queue inherits. PRIORITY_NO_EXECUTE: the queue is gone.
int32_t xq_priority(XqQueue* queue);

// Call when `consumer` is about to get a command, and work of `producer`, gates included, may be before it in the same
// hardware queue. If the producer is less urgent, it keeps little in flight from now on and uses no gates, while a more
// urgent unit may come: its callers wait in xq_admit instead. Work of the producer that is behind a gate already
// inherits the consumer's priority.
void xq_share_hardware(XqQueue* consumer, XqQueue* producer);
// Call when `queue` is about to get a command, and work of `other` may later come behind it in the same hardware queue.
// If `queue` is less urgent than `other`, it is kept short as by xq_share_hardware, even before `other` has any work.
void xq_stand_before(XqQueue* queue, XqQueue* other);
// Notes that the queue no longer shares its hardware queue.
void xq_end_sharing(XqQueue* queue);

// Tells whether level 3 takes this queue off the device alone, without its process's other queues.
void xq_set_apart(XqQueue* queue, bool apart);

// Blocks until the core has no buffered command (devices without holds, or callback commands). For a call that must
// stay ordered behind them but cannot be buffered. Usually returns at once.
void xq_drain(XqQueue* queue);

// Tells that the object named by `words_owner` (device.h) is destroyed, with all that was registered with it.
void xq_words_owner_gone(uint64_t owner);

// The data with which a scheduler takes this process's work off a device, and puts it back, if the process does not
// answer: goes to xserver with a descriptor. Only the platform's own code knows what the bytes mean; they are copied.
typedef struct XqHandover {
    XPlatform platform;
    uint32_t bytes;  // 0: withdraws the handover with this key
    XDevice device;
    uint64_t key;  // the handover's name within this process
    const void* data;
    int fd;  // stays the caller's; a copy is sent
    void (*undo)(void);  // called when the scheduler that had the handover is gone: undoes what the scheduler did
} XqHandover;
void xq_hand_over(const XqHandover* handover);

// Returns the version of this interface in the process; a backend refuses any other than its own.
uint32_t xq_abi_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
