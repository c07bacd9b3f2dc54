// The hints of queues that the process makes from now on. Any thread.
#pragma once

#include "base/hints.h"

namespace xsched::agent {

// The environment's, and what the program has told since for all of its queues.
base::Hints hints_of_new_queues();

}  // namespace xsched::agent
