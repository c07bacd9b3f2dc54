// What the dispatcher knows of queues, beyond what their slots say, for tools. Front thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "dispatch/means.h"
#include "sched/core.h"
#include "server/tool_commands.h"

namespace xsched::server {

struct QueueFacts {
    bool suspended = false;
    sched::Reason reason{};
    dispatch::Means means = dispatch::Means::kNone;
    int32_t by_pid = 0;
    int64_t since_ns = 0;
    int64_t delayed_ns = 0;
    uint64_t preemptions = 0;
};

class Facts {
public:
    // Throws ToolError if the scheduling thread gives no sign of life.
    explicit Facts(const Request& request);

    QueueFacts of(const SeenQueue& queue) const;
    int64_t caused_ns(const Client& client) const;

private:
    std::map<std::pair<uint32_t, uint32_t>, QueueFacts> queues_;  // by client and slot
    std::map<uint32_t, int64_t> caused_ns_;
};

}  // namespace xsched::server
