// Facts about queues that tools show beyond the slots: read from the dispatcher's records. Front thread.
#pragma once

#include <cstdint>
#include <map>

#include "sched/facts/unit.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {

struct QueueFacts {
    bool scheduled = false;  // false: the scheduler has not seen it, or a limit leaves it no room
    bool stopped = false;  // its process, by a signal
    bool suspended = false;
    bool watched = false;  // the scheduler sees each of its changes
    sched::Reason reason{};
    sched::Mechanism mechanism = sched::Mechanism::kNone;
    sched::Mechanism kept_off_by = sched::Mechanism::kNone;  // last; kNone: never
    sched::Candidates candidates;  // for that
    int32_t by_pid = 0;
    uint32_t by_client = 0;
    int64_t since_ns = 0;
    int64_t delayed_ns = 0;
    int64_t running_ns = 0;  // time with work and not suspended
    int64_t idle_ns = 0;
    uint64_t preemptions = 0;
    policy::Note note;
};

// The work of those queues of a client that are gone.
struct Gone {
    uint64_t completed = 0;
    uint64_t copies = 0;
    uint64_t copied_bytes = 0;
    int64_t busy_ns = 0;
};
Gone gone_of(const Client& client);

class Facts {
public:
    // Reads the present time. Does not ask the scheduling thread.
    Facts();
    // Looks at the processes of the answer as well (stopped_looks.h): those that the asking user may see, of "pid" or
    // from the client `first` on, at most `most`.
    Facts(const Request& request, uint32_t first, size_t most);

    QueueFacts of(const SeenQueue& queue) const;
    // Returns whether a signal stopped the client's process, or its control group is frozen.
    bool stopped(const Client& client) const;
    int64_t caused_ns(const Client& client) const;

private:
    int64_t now_ns_;  // end of intervals that still last
    std::string policy_;  // in force; empty: not asked for
};

// Returns the reason as far as the policy tells it: what a policy that does not say which hints it reads goes by is not
// known to be urgency.
sched::Reason reason_told(const std::string& policy, sched::Reason reason);

}  // namespace xsched::server
