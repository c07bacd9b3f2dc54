// Writes the scheduler's decisions about this process, and for its sake, into this process's own log: at DEBG, whatever
// level xserver has, with the names that its launches have there. The agent's thread.
#pragma once

#include "ipc/layout.h"

namespace xsched::agent {

// Tells a newly connected scheduler whether this process wants to be told of decisions.
void want_decisions(ipc::Header& header);
// Logs the decisions that are new since the last call.
void log_decisions(ipc::Region& region);

}  // namespace xsched::agent
