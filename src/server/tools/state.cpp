#include "server/tools/state.h"

#include <algorithm>
#include <iterator>

#include "server/clients/client.h"

namespace xsched::server {
namespace {

bool has_memory_on_host(const Client& client) {
    const auto& memory = client.region().header.memory;
    return client.memory_by_driver || std::any_of(std::begin(memory), std::end(memory), [](const auto& of_device) {
               return of_device.on_host.load(std::memory_order_relaxed) != 0;
           });
}

// Returns whether a person suspended the client with all queues that it has or makes later.
bool is_wholly_suspended(const Client& client) { return client.record()->suspended_by_person.load() != 0; }

bool is_held_by_person(const QueueFacts& known) { return known.suspended && known.reason == sched::Reason::kHeld; }

}  // namespace

bool is_suspended_by_person(const Client& client, const std::vector<SeenQueue>& queues) {
    const Facts facts;
    return client.memory_sent_away || is_wholly_suspended(client) ||
           std::any_of(queues.begin(), queues.end(),
                       [&facts](const SeenQueue& queue) { return is_held_by_person(facts.of(queue)); });
}

base::State state_of(const Facts& facts, const Client& client, const std::vector<SeenQueue>& queues) {
    if (facts.stopped(client)) return base::State::kStopped;
    if (has_memory_on_host(client)) return base::State::kAway;
    bool runs = false, held = false, suspended = queues.empty() && is_wholly_suspended(client);
    for (const SeenQueue& queue : queues) {
        const QueueFacts known = facts.of(queue);
        const bool ready = work_of(queue).ready;
        const bool asked_for = is_held_by_person(known) || queue.slot.api_suspended.load() != 0;
        suspended |= asked_for;
        held |= ready && known.suspended && !asked_for;
        runs |= ready && !known.suspended && !asked_for;
    }
    if (runs) return held || suspended ? base::State::kMixed : base::State::kRuns;
    if (held) return base::State::kHeld;
    return suspended ? base::State::kSuspended : base::State::kIdle;
}

base::State state_of_suspended(const QueueFacts& known) {
    return is_held_by_person(known) ? base::State::kSuspended : base::State::kHeld;
}

}  // namespace xsched::server
