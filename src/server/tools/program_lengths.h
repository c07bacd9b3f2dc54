// Lengths from the records of a program's queues: of its bursts and commands, of how long it was held, and of how long
// stopping and going on took. Front thread.
#pragma once

#include "server/tools/tool_commands.h"

namespace xsched::server {

// Adds one member for each kind of length. `whole`: with the histograms' buckets.
void add_lengths(Json& entry, const Client& client, bool whole);
// By mechanism: how often the program was held, and how long stopping and going on took. `platform` names them.
Json describe_preemptions(const Client& client, uint32_t platform);

}  // namespace xsched::server
