// Why a program is as fast as it is, for xcli explain: the cause and its text. Pure.
#pragma once

#include <string>
#include <vector>

namespace xsched::cli {

// Why a program is as fast as it is. One row for each sentence with which an explanation may begin.
enum class WhySlow {
    kServerIsNew,       // the server started too recently to know
    kNoQueues,          // the program never gave a device work
    kStopped,           // a signal stopped the process, or its group is frozen
    kSuspendedByItself,  // the program suspended itself by XQueueSuspend
    kSuspended,         // by a person
    kNoExecute,         // its priority is PRIORITY_NO_EXECUTE
    kUnscheduled,       // its user has more queues than the limit allows
    kJustHeld,          // held for so short a time that no hold is told yet
    kMoreUrgent,        // makes room for a more urgent program
    kOwnQueue,          // makes room for another queue of its own
    kAnnounced,         // for a burst that a more urgent program announced
    kElsewhere,         // for a more urgent program on another device
    kTurns,             // the policy gives the device in turns
    kShareUsedUp,       // the policy gives turns by shares
    kLimit,             // it has used what its limit allows
    kLate,              // missed its deadline
    kWindow,            // another program has the active window, which the policy prefers
    kGang,              // its gang is suspended, since not all members may run
    kLostClaim,         // it lost its claim: it completed nothing for too long while others were held for it
    kStarved,           // it is held so long that only the starvation limit lets it run
    kCrowded,           // not held: its GPU has more queues than it takes at once, and serves them in turns
    kCopies,            // not held: copies of its own or of another program occupy the copy engine
    kLongKernels,       // not held, but other programs' long commands cannot be interrupted
    kShares,            // not held: it runs beside others of its priority
    kItsOwnWork,        // not held: the device works for it
    kWaitsForHost,      // all its work waits for the host, another program or another device
    kWaitsForMemory,    // its memory is on the host: a program that needs the room has its place
    kHost,              // not held: it seldom gives the device work
    kShortCommands,     // the same, and its commands take microseconds
    kIdle,              // it has no work now and was not held
    kAlone,             // no other program is on its device
};

// Returns, for example, "server_is_new", for JSON.
const char* finding_word(WhySlow finding);

struct Explained {
    WhySlow finding{};
    bool not_us = false;  // XSched is not involved
    std::string headline;
    std::vector<std::string> details;
    std::string advice;  // advice; empty: there is nothing to do
};

}  // namespace xsched::cli
