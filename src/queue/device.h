// The one seam to hardware. A backend (device/<name>/) wraps the vendor's queue and hands in a table of functions;
// the queue core calls it and knows nothing else about hardware. C ABI: it crosses shared libraries.
//
// Threads: any function may be called from any thread, several at once, and never with a lock of ours held; none may
// throw. Functions return kXSchedErrorHardware after logging the vendor's code.
//
// How work is kept back, by what the hardware offers:
//  - holds (hold_create != NULL): the program's call goes to the driver at once, together with a hold that keeps it
//    from starting (OpenCL: a user event in its wait list). The driver's queue is the buffer, so arguments, events,
//    profiling and lifetimes are exactly the driver's own.
//  - throttle = 1: nothing is kept back in our memory. While the queue is suspended its commands go behind a gate, a
//    word in the shared slot that the device itself waits on (CUDA: a stream wait-value); beyond a cap, or where the
//    hardware has no gates, the launching thread waits, as it does natively when the hardware's queue is full.
//    Arguments, order, events and lifetimes stay the driver's own.
//  - else the core buffers copies of commands (XqCommand) and a worker launches them later.
// Level 2 comes from gates or from deactivate/reactivate.
#pragma once

#include <stdint.h>

#include "xsched/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XQ_DEVICE_ABI 8

typedef struct XqQueue XqQueue;

// Names a piece of launched work; carried through the vendor's callback and handed to xq_complete. 0: none.
typedef uint64_t XqToken;

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

// Words of a throttled queue that the device itself reads or writes. All in one page.
typedef struct XqWords {
    uint32_t* gate;
    uint32_t* progress;
    uint32_t* linger;
} XqWords;

// What it costs to take a process off this device, in microseconds, as the platform has measured or declares it. The
// scheduler chooses the preemption mechanism by these. 0: nothing worth mentioning, or not known.
typedef struct XqCosts {
    uint32_t switch_us;     // the hardware's switch from one process's work to another's
    uint32_t off_us;        // level 3: from the directive until the process is off, usually (its agent wakes first)
    uint32_t most_off_us;   // level 3: the same at most
    uint32_t effect_us;     // level 3: from the call's return until the device has obeyed
    uint32_t interrupt_us;  // level 3: the calls that take a process off and put it back, together
} XqCosts;

typedef struct XqDeviceOps {
    uint32_t abi;     // XQ_DEVICE_ABI
    uint32_t levels;  // bit n set: preempt level n works on this queue (bit 1 always)
    XPlatform platform;
    uint32_t in_order;  // 1: commands complete in the order they were launched

    void* (*hold_create)(void* hwq);               // NULL result: refused, the command goes unheld
    void (*hold_open)(void* hwq, void* hold);      // lets everything that carries it start
    void (*hold_drop)(void* hwq, void* hold);      // ends everything that carries it, unrun
    void (*hold_destroy)(void* hwq, void* hold);   // after open or drop, when no call uses it any more

    XResult (*mark)(void* hwq, XqToken token);     // xq_complete(token) when all launched before is done
    XResult (*flush)(void* hwq);                   // make sure launched work starts; may be NULL
    XResult (*synchronize)(void* hwq);

    // --- throttled devices (all but words_owner, or throttle = 0)
    uint32_t throttle;
    // The words that the calls below are about; called before the first of them, and again when they move. Any
    // failure: no gates, and progress_read is asked instead of the word.
    XResult (*bind)(void* hwq, const XqWords* words);
    // What the words' memory is registered with and goes with (a context); words of different owners never share a page.
    // NULL, or 0: nothing that goes before the process.
    uint64_t (*words_owner)(void* hwq);
    // What is launched next waits until *gate >= 1. NotAllowed: not now (a stream that is being captured).
    XResult (*gate_wait)(void* hwq);
    // Once all launched before is done, the device stores `value` to *progress (or progress_read returns it).
    XResult (*progress_write)(void* hwq, uint32_t value);
    XResult (*progress_read)(void* hwq, uint32_t* value);

    XResult (*deactivate)(void* hwq);              // level 2
    XResult (*reactivate)(void* hwq);
    // Level 3. May take a millisecond; never called on the launch path. Where the hardware acts on more than a queue (a
    // process's channels), it does when all of its queues have asked. NotSupported: never, the queue's level is lowered.
    // `keeps_off`: where a short timeslice is in force already, which takes what runs off the device as soon as another
    // context has work, it is enough that it does not come back: cheaper for whoever has the device then. Called again
    // without it, what was kept off so is taken off.
    XResult (*interrupt)(void* hwq, int keeps_off);
    XResult (*restore)(void* hwq);
    XqCosts costs;
    // How long the hardware lets this queue's context run before it switches to another's; 0: as it was. May be NULL.
    XResult (*set_timeslice)(void* hwq, uint32_t us);
    // A moment's work on the device for nothing, so that it has switched to this queue's context when work comes. May be
    // NULL: switching costs nothing here.
    XResult (*warm)(void* hwq);
    // Behind all that was launched, work for nothing that keeps the device for this queue's context until *linger has
    // reached `number`, modulo 2^32, at most for `ns`. NULL: the hardware takes nothing away in a pause.
    // `waits`: returns when that is complete.
    XResult (*linger)(void* hwq, uint32_t number, int64_t ns, int waits);
    // Before the first of them; may take many milliseconds. NotSupported: it cannot linger.
    XResult (*prepare_linger)(void* hwq);

    void (*destroy)(void* hwq);                    // the HwQueue wrapper goes
} XqDeviceOps;

#ifdef __cplusplus
}
#endif
