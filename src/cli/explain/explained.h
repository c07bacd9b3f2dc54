// Why a program is as fast as it is, as xcli explain has it: the finding and its text. Pure.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

// Why a program is as fast as it is. One row for each sentence that explain may begin with.
enum class WhySlow {
    kServerIsNew,       // it knows nothing of the time before
    kNoQueues,          // nothing was ever given to a device
    kStopped,           // the process is stopped by a signal
    kSuspendedByItself, // by the program's own XQueueSuspend
    kSuspended,         // by a person
    kNoExecute,         // its priority says never
    kUnscheduled,       // beyond its user's limit of queues
    kMoreUrgent,        // makes room for a more urgent program
    kOwnQueue,          // makes room for another queue of its own
    kAnnounced,         // for a burst that a more urgent program announced
    kElsewhere,         // for a more urgent program on another device
    kTurns,             // the policy gives turns
    kShareUsedUp,       // the same, by shares
    kLimit,             // it has had what its limit allows
    kLate,              // missed its deadline
    kWindow,            // another program has the active window, and the policy has that one go first
    kGang,              // its gang is suspended: not all of it may run
    kLostClaim,         // not held, and others not for it: it completed nothing for too long
    kStarved,           // held so long that only the starvation limit lets it run
    kCrowded,           // not held: its GPU goes to more queues than it takes at once, in turns
    kCopies,            // not held: copies keep the device's copy engine, its own or another's
    kLongKernels,       // not held, but commands of others last long and cannot be taken off
    kShares,            // not held: it runs beside others of its priority
    kItsOwnWork,        // not held: the device works for it
    kWaitsForHost,      // all that it has waits for the host, another program or another device
    kHost,              // not held: it seldom gives the device work
    kShortCommands,     // the same, with commands of microseconds
    kIdle,              // has no work now and was not held
    kAlone,             // nobody else is on its device
};

struct Explained {
    WhySlow finding{};
    bool not_us = false;  // XSched has no part in it
    std::string headline;
    std::vector<std::string> details;
    std::string advice;  // empty: there is nothing to do
};

}  // namespace xsched::cli
