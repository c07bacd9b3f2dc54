#include "cli/explain/explained.h"

namespace xsched::cli {

const char* finding_word(WhySlow finding) {
    switch (finding) {
        case WhySlow::kServerIsNew: return "server_is_new";
        case WhySlow::kNoQueues: return "no_queues";
        case WhySlow::kStopped: return "stopped";
        case WhySlow::kSuspendedByItself: return "suspended_by_itself";
        case WhySlow::kSuspended: return "suspended";
        case WhySlow::kNoExecute: return "no_execute";
        case WhySlow::kUnscheduled: return "unscheduled";
        case WhySlow::kJustHeld: return "just_held";
        case WhySlow::kMoreUrgent: return "more_urgent";
        case WhySlow::kOwnQueue: return "own_queue";
        case WhySlow::kAnnounced: return "announced";
        case WhySlow::kElsewhere: return "elsewhere";
        case WhySlow::kTurns: return "turns";
        case WhySlow::kShareUsedUp: return "share_used_up";
        case WhySlow::kLimit: return "limit";
        case WhySlow::kLate: return "late";
        case WhySlow::kWindow: return "window";
        case WhySlow::kGang: return "gang";
        case WhySlow::kLostClaim: return "lost_claim";
        case WhySlow::kStarved: return "starved";
        case WhySlow::kCrowded: return "crowded";
        case WhySlow::kCopies: return "copies";
        case WhySlow::kLongKernels: return "long_kernels";
        case WhySlow::kShares: return "shares";
        case WhySlow::kItsOwnWork: return "its_own_work";
        case WhySlow::kWaitsForHost: return "waits_for_host";
        case WhySlow::kWaitsForMemory: return "waits_for_memory";
        case WhySlow::kHost: return "host";
        case WhySlow::kShortCommands: return "short_commands";
        case WhySlow::kIdle: return "idle";
        case WhySlow::kAlone: return "alone";
    }
    return "";
}

}  // namespace xsched::cli
