// Returns the hints that queues get when the process creates them. Any thread.
#pragma once

#include <cstdint>

#include "base/hints.h"

namespace xsched::agent {

// Returns the environment's hints, with those that the program has since told for all of its queues.
base::Hints hints_of_new_queues();
// Returns a bit for each hint among them that the environment or the program has told.
uint32_t told_hints();

}  // namespace xsched::agent
