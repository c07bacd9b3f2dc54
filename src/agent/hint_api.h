// Returns the hints that queues get which the process makes from now on. Any thread.
#pragma once

#include "base/hints.h"

namespace xsched::agent {

// Returns the environment's hints, with those that the program has since told for all of its queues.
base::Hints hints_of_new_queues();

}  // namespace xsched::agent
