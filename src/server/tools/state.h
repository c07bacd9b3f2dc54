// The state of queues or of a program: one word of base/states.def for all answers. Front thread.
#pragma once

#include <vector>

#include "base/states.h"
#include "server/tools/facts.h"

namespace xsched::server {

// Returns the state of these queues of the client together. A state of the whole process comes first: it is stopped, or
// its memory is on the host.
base::State state_of(const Facts& facts, const Client& client, const std::vector<SeenQueue>& queues);

// Returns the state of a queue that the scheduler suspends and that has work.
base::State state_of_suspended(const QueueFacts& known);

}  // namespace xsched::server
