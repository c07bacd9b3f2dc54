// Checks the memory of random programs (property.h), whatever the planner decides.
#pragma once

#include <functional>
#include <string>

#include "sim/world.h"

namespace xsched::sim {

using TellFailure = std::function<void(Program&, const std::string&)>;

// Memory that may not move is on the device, so is what is guaranteed, and no program has more than its limit. Each
// device has as much in use as its programs have there, and at most what they have in all while some of it comes back.
void check_memory(World& world, const TellFailure& tell);

// No program waits for memory for which there is room. Call when the programs have stopped.
void check_waits_for_memory(World& world, const TellFailure& tell);

}  // namespace xsched::sim
