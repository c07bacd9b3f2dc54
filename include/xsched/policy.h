/* A scheduling policy of one's own: a shared library that xserver loads (`xserver --policy ./mine.so`). The library has
 * one function, XSchedPolicy, which returns a description that stays valid.
 *
 * Only xserver calls it, on one thread. State goes in and answers come out through the caller's memory, which is valid
 * only during the call. A policy keeps what it remembers in its own memory.
 *
 * xserver throws a policy out, goes on with HPF and says why in one line, if
 *  - a decision takes longer than 10 milliseconds of the processor, or of elapsed time three times in a row,
 *  - an answer is none: `run` other than 0 or 1, or a time to decide again that has passed,
 *  - for a second no unit with work may run, or a unit with work may not run for 10 seconds.
 * A policy that crashes, or never returns, ends the server it runs in; the server that is started in its place
 * (docs/SERVER.md) leaves it out. Programs go on meanwhile. */
#ifndef XSCHED_POLICY_H
#define XSCHED_POLICY_H

#include "xsched/types.h"

XSCHED_BEGIN_INTERFACE

/* Raised when something of this file changes its meaning. New members come at the end of XPolicyUnit without that. */
#define XSCHED_POLICY_ABI 1

/* The queues of one process with equal priority on one device: they run or stand together. Units of one process may
 * wait for each other's work: let them run together, or keep all of them off. */
typedef struct {
    uint64_t id;
    uint64_t device;
    uint64_t process; /* equal for the units of one process */
    uint64_t account; /* equal for those who share as one: a process, or a user */
    int64_t ready_since_ns; /* of its oldest unfinished burst of work; if it has none, of its last one */
    int64_t command_ns; /* mean length of a command; 0: not known */
    int64_t busy_ns; /* device time used so far */
    int64_t deadline_us; /* hints: docs/hints.md */
    int64_t laxity_us;
    int64_t period_us;
    int64_t timeslice_us;
    int32_t pid; /* for people */
    int32_t priority;
    int32_t lax_priority;
    int32_t critical_priority;
    int32_t utilization;
    int32_t share;
    int32_t limit;
    int32_t k_deadline;
    int32_t window;
    int32_t wants; /* 1: it has work, or the device is kept for it through a short pause */
    int32_t ready; /* 1: it has work */
    int32_t reserved;
    uint64_t memory; /* bytes of its process on the device */
    uint64_t memory_away; /* bytes that were moved to the host: it has no work until they are back */
    uint64_t memory_wanted; /* bytes that an allocation of its process waits for */
} XPolicyUnit;

typedef struct {
    uint64_t by; /* the unit it makes room for; 0: none. For people, and for how it is kept off */
    int32_t run; /* 1: it may run. A choice that stays as it was given runs */
    int32_t reserved;
} XPolicyChoice;

typedef struct {
    uint32_t abi; /* XSCHED_POLICY_ABI */
    uint32_t unit_bytes; /* sizeof(XPolicyUnit) */
    const char* name; /* as xcli shows it; no policy of XSched's own has it */
    const char* summary; /* one line */
    /* The value that the other functions get. NULL: they get NULL. */
    void* (*create)(void);
    /* Which of the units may use the device. All are of one device; `choices` has one entry for each. `now_ns` only
     * moves forward. Units that want nothing get an answer too: it holds from the moment they submit. Returns the time
     * at which the answer may change by itself, or 0. */
    int64_t (*choose)(void* state, const XPolicyUnit* units, size_t count, int64_t now_ns, XPolicyChoice* choices);
    /* No unit uses the device any more. May be NULL. */
    void (*forget)(void* state, uint64_t device);
    /* May be NULL. */
    void (*destroy)(void* state);
} XPolicyModule;

/* The one function that a policy's library exports. */
const XPolicyModule* XSchedPolicy(void);

XSCHED_END_INTERFACE

#endif
