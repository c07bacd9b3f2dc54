// The values of arguments of the functions in queue_abi.h. C ABI.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// xq_retire: whether the vendor's queue still takes commands.
typedef enum {
    kXqNoLastReport = 0,
    // The vendor's queue still takes commands from this thread, so the device can report when it is done.
    kXqLastReport = 1
} XqRetire;

// xq_launched: how the driver's call ended. Flags.
typedef enum {
    kXqFailed = 0,
    kXqSucceeded = 1,
    kXqReportLater = 2  // the calling thread must not be delayed now: a later command reports this one
} XqOutcome;

// xq_report_marker: whether the device may be asked about the marker later.
typedef enum {
    kXqNobodyCanAsk = 0,
    // Another thread may ask the device about the marker later: a queue that makes room for more urgent ones needs no
    // extra report for it.
    kXqCanAsk = 1
} XqAskLater;

// xq_driver_call: on which side of the driver's call the caller is.
typedef enum { kXqCallBegins = 0, kXqCallReturned = 1 } XqDriverCall;

// xq_shared_event: what the queue does with the event.
typedef enum { kXqRecords = 0, kXqWaits = 1 } XqSharedUse;

// The path of a copy, for paths that have rates of their own.
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
