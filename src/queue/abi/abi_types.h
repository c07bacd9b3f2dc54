// The values of arguments of the functions in queue_abi.h. C ABI.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Argument of xq_retire: says whether the vendor's queue still takes commands.
typedef enum {
    kXqNoLastReport = 0,
    // The vendor's queue still takes commands from this thread, so the device can report when it is done.
    kXqLastReport = 1
} XqRetire;

// Argument of xq_launched: says how the driver's call ended. Flags.
typedef enum {
    kXqFailed = 0,
    kXqSucceeded = 1,
    kXqReportLater = 2  // the calling thread must not be delayed now: a later command reports this one
} XqOutcome;

// Argument of xq_report_marker: says whether the backend can ask the device later if the marker is complete.
typedef enum {
    kXqNobodyCanAsk = 0,
    // Another thread may ask the device about the marker later: a queue that makes room for more urgent ones needs no
    // extra report for it.
    kXqCanAsk = 1
} XqAskLater;

// Argument of xq_driver_call: says whether the driver's call is about to begin or has returned.
typedef enum { kXqCallBegins = 0, kXqCallReturned = 1 } XqDriverCall;

// Argument of xq_shared_event: says what the queue does with the event.
typedef enum { kXqRecords = 0, kXqWaits = 1 } XqSharedUse;

// Argument of xq_about_to: says what the program does next.
typedef enum {
    // The program uses the queue for the first time: the queue's keep-alive is prepared, if it may ever have one. Later
    // the preparation would fall into the program's first burst, and could wait in the driver for its launches.
    kXqFirstUse = 0,
    // The program waits for all work of the queue: a keep-alive keeps the device until the queue's next launch, if
    // other programs are being kept off for it. xq_about_to may do the program's wait itself, and then returns true.
    // Without a queue: the program waits for a whole context, which includes the process's hold, so the hold ends.
    kXqWait = 1,
    // The program waits for an event in the queue: a keep-alive keeps the device as with kXqWait. xq_about_to returns
    // at once: true if there is such a keep-alive.
    kXqWaitForEvent = 2,
    // The program queries the queue, or waits for it in another way: a keep-alive in the queue would delay that, so it
    // ends soon.
    kXqQuery = 3,
    // The program launches a command that may wait for earlier work of the queue: a keep-alive there ends soon, as
    // behind a launch.
    kXqMayWait = 4,
    // The program launches a kernel whose blocks must all be on the device together. No queue is given: the process's
    // hold ends, because it may take the place of one of the blocks.
    kXqCooperative = 5,
    // The program frees device memory. No queue is given: all keep-alives end, since the driver waits for them. While
    // the program frees memory again and again, nothing holds the device before its bursts: beside a hold, allocating
    // and freeing took longer than a switch (docs/decisions/013).
    kXqFree = 6
} XqAbout;

// From where to where a copy goes: the time per byte is measured for each of these kinds.
typedef enum {
    kXqToDevice = 0,  // from pinned memory of the host
    kXqToHost = 1,  // to such memory
    kXqPageableToDevice = 2,
    kXqDeviceToPageable = 3,
    kXqWithinDevice = 4,
    kXqBetweenDevices = 5,
    kXqOfBuffers = 6,  // between OpenCL buffers, wherever their memory is
    kXqCopyKinds = 7
} XqCopyKind;

// A piece of a copy; each piece is a command.
typedef struct XqPiece {
    XqCopyKind kind;
    uint64_t bytes;
} XqPiece;

#ifdef __cplusplus
}
#endif
