// The data that one command carries through a shim: its token, and the ticket that the queue hands out for it. C ABI.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Names a piece of launched work; carried through the vendor's callback and handed to xq_complete. 0: none.
typedef uint64_t XqToken;

// Number of a stand: a wait that the queue's device does not end, with the commands that it keeps (standing.h). Numbers
// are those of one queue; 0: none.
typedef uint64_t XqStand;

typedef enum {
    kXqLaunch = 0,  // go on to the driver; with `hold`, if set, in the wait list
    kXqBuffer = 1,  // copy the command and call xq_buffer
    // Go on to the driver, and nothing else: the stream is being captured, so the command is a graph's and has no place
    // in the queue. Neither xq_launched nor any other call about this ticket follows.
    kXqOutside = 2
} XqVerdict;

typedef struct XqTicket {
    uint32_t verdict;  // XqVerdict
    uint32_t covers;  // how many commands the token stands for; on gated devices: 0 for a marker, else 1
    void* hold;  // put into the wait list; NULL: none
    void* group;  // private to the queue
    XqToken token;  // report its completion; 0: this command is not tracked
    // The last unfinished wait before this command, which keeps it from running; 0: there is none. On gated devices it
    // is the wait's number.
    XqStand stand;
    uint64_t mark;  // on gated devices: xq_sync_begin's, with this command if no other is on its way to the driver
    uint32_t followed;  // on gated devices: its end must be reported
    int64_t began_ns;  // on gated devices: when the driver's call began, if how long that takes is measured; else 0
} XqTicket;

#ifdef __cplusplus
}
#endif
