// The dispatcher's facts about queues, beyond their slots, for tools: read from its records. Front thread.
#pragma once

#include <cstdint>

#include "sched/facts/unit.h"
#include "server/tools/tool_commands.h"

namespace xsched::server {

struct QueueFacts {
    bool suspended = false;
    bool watched = false;  // each of its changes is told
    sched::Reason reason{};
    sched::Mechanism mechanism = sched::Mechanism::kNone;
    sched::Mechanism kept_off_by = sched::Mechanism::kNone;  // last; kNone: never
    sched::Candidates candidates;  // for that
    int32_t by_pid = 0;
    uint32_t by_client = 0;
    int64_t since_ns = 0;
    int64_t delayed_ns = 0;
    int64_t running_ns = 0;  // with work and not suspended
    int64_t idle_ns = 0;
    uint64_t preemptions = 0;
    policy::Note note;
};

// The work of the queues that a client had, and has no more.
struct Gone {
    uint64_t completed = 0;
    uint64_t copies = 0;
    uint64_t copied_bytes = 0;
    int64_t busy_ns = 0;
};
Gone gone_of(const Client& client);

class Facts {
public:
    // As of the last pass: the scheduling thread is not asked.
    Facts();

    QueueFacts of(const SeenQueue& queue) const;
    int64_t caused_ns(const Client& client) const;

private:
    int64_t now_ns_;  // for what still lasts
};

}  // namespace xsched::server
