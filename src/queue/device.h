// The one seam to hardware. A backend (platform/<p>/hal) wraps the vendor's queue and hands in tables of functions; the
// queue core calls them and knows nothing else about hardware. C ABI: it crosses shared libraries.
//
// Threads: any function may be called from any thread, several at once, and never with a lock of ours held; none may
// throw. On gated devices those that call the vendor's driver are called by the program's own threads alone: in its
// launches, waits and destroys. Threads of ours call deactivate, reactivate, interrupt, restore and set_timeslice,
// which make system calls and stores, and look. KeepAliveOps' warm and prepare have a thread of their own, which may
// stand; before its first work, a thread of the program's may prepare as well.
//
// Functions return kXSchedErrorHardware after logging the vendor's code. All are mandatory unless their line says
// otherwise; a table that is NULL is something that the device lacks.
//
// How work is kept back, by what the hardware offers:
//  - XqHoldOps: the program's call goes to the driver at once, together with a hold that keeps it from starting
//  (OpenCL: a
//    user event in its wait list). The driver's queue is the buffer, so arguments, events, profiling and lifetimes are
//    exactly the driver's own.
//  - XqGateOps: nothing is kept back in our memory. While the queue is suspended its commands go behind a gate, a word
//  in
//    the shared slot that the device itself waits on (CUDA: a stream wait-value). Beyond a cap, or where the hardware
//    has no gates, the launching thread waits, as it does natively when the hardware's queue is full. Arguments, order,
//    events and lifetimes stay the driver's own.
//  - neither: the core buffers copies of commands (XqCommand) and a worker launches them later.
#pragma once

#include <stdint.h>

#include "queue/ticket.h"
#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XQ_DEVICE_ABI 24

typedef struct XqQueue XqQueue;

typedef struct XqCommand XqCommand;
typedef struct XqCommandOps {
    // Gives the command to the driver. If `token` is not 0, xq_complete(token) must follow once it is done
    // (also if this call fails).
    XResult (*launch)(XqCommand* command, void* hwq, XqToken token);
    void (*destroy)(XqCommand* command);
} XqCommandOps;

// First member of every buffered command. Between submission and destroy it belongs to the queue.
struct XqCommand {
    const XqCommandOps* ops;
    XqCommand* next;
    uint64_t index;
};

typedef struct XqHoldOps {
    void* (*create)(void* hwq);  // NULL result: refused, the command goes unheld
    void (*open)(void* hwq, void* hold);  // lets every command start that carries the hold
    void (*drop)(void* hwq, void* hold);  // ends every command that carries the hold, unrun
    void (*destroy)(void* hwq, void* hold);  // called after open or drop, when no call uses the hold any more
} XqHoldOps;

// Words of a gated queue that the device itself reads or writes, all in one page.
typedef struct XqWords {
    uint32_t* gate;
    uint32_t* progress;
    uint32_t* keep_alive;
} XqWords;

// The cost of a gate and a report together; 0: unknown.
typedef struct XqGateCost {
    uint32_t device_ns;
    uint32_t host_ns;  // time of the thread that makes the two calls
} XqGateCost;

typedef struct XqGateOps {
    // Tells which words the calls below use; called before the first of them, and again when the words move. After a
    // failure there are no gates, and `read_progress` replaces the progress word. NotAllowed: not possible yet, call
    // again.
    XResult (*bind)(void* hwq, const XqWords* words);
    // Returns the object with which the words' registration ends (a context); words of different owners never share a
    // page. NULL, or a result of 0: the registration lasts as long as the process.
    uint64_t (*words_owner)(void* hwq);
    // Makes the next launch wait until *gate >= 1. NotAllowed: not possible now (a stream that is being captured).
    // NULL: the device has no gates; level 3 works without them: callers wait while the queue is off the device.
    XResult (*wait)(void* hwq);
    // Makes the device store `value` to *progress (or read_progress return it) once all earlier launches are done.
    XResult (*write_progress)(void* hwq, uint32_t value);
    XResult (*read_progress)(void* hwq, uint32_t* value);
    // Returns the cost measured when the words were bound. May be NULL.
    XqGateCost (*cost)(void* hwq);
    // note_place and look: for devices that write to memory how far they are; both are NULL for other devices. Neither
    // calls the driver. note_place notes the position of `value` in the vendor's queue; it is called on a thread that
    // has launched, while the queue is watched. If it succeeds, `look` tells later when `value` is complete.
    XResult (*note_place)(void* hwq, uint32_t value);
    // Reads from memory the last value of note_place that is complete, and the last one that the device has begun.
    // Commands between the two values may still run; memory does not tell when they end. Called on the agent's thread,
    // with the queue's lock held.
    XResult (*look)(void* hwq, uint32_t* complete, uint32_t* begun);
    // Returns whether the driver would record the next command into a graph instead of running it. Called on the thread
    // that is about to launch. NULL: the driver never records.
    bool (*captured)(void* hwq);
} XqGateOps;

// The effect of an interrupt on the running work.
typedef enum {
    kXqTakeOff = 0,  // the running work is taken off the device
    // The work is kept from coming back. Enough if a short timeslice is in force, which takes running work off as soon
    // as another context has work. Costs the urgent program less. kXqTakeOff may follow.
    kXqKeepOff = 1
} XqInterrupt;

// The state that level 3 has given a queue's work.
typedef struct XqStopState {
    // Number of the stop in force, different for each stop; 0: the work runs. It changes before any work resumes.
    uint32_t stop;
    uint32_t slowed;  // != 0: the work continues slowly, on a few of the device's compute units
    uint32_t paused;  // != 0: level 3 is refused (NotAllowed) until the backend calls xq_level_changed again
    uint32_t calls_us;  // measured value for XqCosts::interrupt_us in this process; 0: unknown
} XqStopState;

// Levels 2 and 3 beyond gates and holds.
typedef struct XqStopOps {
    XResult (*deactivate)(void* hwq);  // level 2; NULL, both: the gate does level 2, or there is none
    XResult (*reactivate)(void* hwq);
    // interrupt and restore: level 3; both are NULL if there is none. A call may take a millisecond; never called on
    // the launch path. If the hardware can only stop more than one queue (all channels of a process), it stops when all
    // queues of the process have asked. NotSupported: level 3 is never possible, and the queue's level is lowered.
    // NotAllowed: it is not possible now, as the backend has said; the gate acts alone.
    XResult (*interrupt)(void* hwq, XqInterrupt how);
    // Called again when the queue has been running for a while after kXqKeepOff, and repeatedly while its work makes no
    // progress: the hardware may have missed the first call.
    XResult (*restore)(void* hwq);
    // Returns the state after an interrupt that succeeded. Asked each time the agent looks, since what the hardware
    // does with one queue may depend on another. NULL: the queue is off the device from `interrupt` to `restore`.
    XqStopState (*state)(void* hwq);
    // Sets how long the hardware lets this queue's context run before it switches to another; 0: the driver's own. May
    // be NULL.
    XResult (*set_timeslice)(void* hwq, uint32_t us);
} XqStopOps;

// When a keep-alive call returns.
typedef enum {
    kXqAtOnce = 0,
    kXqWhenComplete = 1  // when everything launched before it is complete
} XqReturn;

// How long a process keeps the device, at least, behind the first launch of a predicted burst: as long as a switch
// takes. With less the device turned to other programs, and a burst took a switch longer than without
// (docs/decisions/016).
enum { kXqHeldBehindLaunchNs = 150'000 };

// Operations of gated devices whose hardware switches between the contexts of processes, at a cost.
typedef struct XqKeepAliveOps {
    // Runs a trivial command, so that the device has switched to this queue's context when real work comes. It runs in
    // a queue of our own, since the program may be inside of the vendor's queue.
    XResult (*warm)(void* hwq);
    // Call before the first `start`; may take many milliseconds. NotSupported: this queue cannot have a keep-alive.
    XResult (*prepare)(void* hwq);
    // Behind all that was launched, puts work for nothing that keeps the device for this queue's context. The work ends
    // when *keep_alive is past `number`, modulo 2^32, or after `ns`; once *keep_alive was seen to be `number`, some
    // microseconds after that instead. `number` is even.
    XResult (*start)(void* hwq, uint32_t number, int64_t ns, XqReturn when);
    // Does the same in a queue of our own beside the program's, for `ns`. Ends `behind_ns` after *keep_alive was seen
    // to be `number`. Returns kXSchedErrorNotAllowed and does nothing while earlier work of that kind still waits for
    // the device; so does `warm`.
    XResult (*hold)(void* hwq, uint32_t number, int64_t ns, int64_t behind_ns);
    // Returns whether the driver calls the vendor's queue idle; kXSchedErrorNotAllowed if it is busy or must not be
    // asked.
    XResult (*is_idle)(void* hwq);
} XqKeepAliveOps;

typedef enum {
    kXqAnyOrder = 0,
    kXqInOrder = 1  // commands complete in the order in which they were launched
} XqOrder;

// The cost of taking a process off this device, in microseconds, as the platform has measured or declares it. The
// scheduler chooses the preemption mechanism by these. 0: nothing worth mentioning, or not known.
typedef struct XqCosts {
    uint32_t switch_us;  // the hardware's switch from one process to another; 0: timeslices cannot be set
    uint32_t off_us;  // level 3: from the directive until the process is off, usually (its agent wakes first)
    uint32_t most_off_us;  // level 3: the longest such time
    uint32_t effect_us;  // level 3: from the call's return until the device has obeyed
    uint32_t interrupt_us;  // level 3: the calls that take a process off and put it back, together
} XqCosts;

typedef struct XqDeviceOps {
    uint32_t abi;  // XQ_DEVICE_ABI
    uint32_t levels;  // bit n set: preempt level n works on this queue (bit 1 always)
    XPlatform platform;
    XqOrder order;
    XqCosts costs;

    const XqHoldOps* hold;
    const XqGateOps* gate;  // not both
    const XqStopOps* stop;
    const XqKeepAliveOps* keep_alive;

    XResult (*mark)(void* hwq,
                    XqToken token);  // xq_complete(token) when all launched before is done; NULL on gated devices
    XResult (*flush)(void* hwq);  // makes sure that launched work starts; may be NULL
    XResult (*synchronize)(void* hwq);  // may be NULL
    void (*destroy)(void* hwq);  // the HwQueue wrapper is destroyed; may be NULL
} XqDeviceOps;

#ifdef __cplusplus
}
#endif
