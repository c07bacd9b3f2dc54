// Histograms from the records of a program's queues: lengths of bursts and commands, times that it was held, and how
// long stopping and resuming took. Front thread.
#pragma once

#include "server/tools/tool_commands.h"

namespace xsched::server {

// Adds one member for each kind of length. `whole`: with the histograms' buckets.
void add_lengths(Json& entry, const Client& client, bool whole);
// Describes, by mechanism, how often the program was held, and how long stopping and resuming took. `platform`: gives
// the mechanisms' words.
Json describe_preemptions(const Client& client, uint32_t platform);

}  // namespace xsched::server
