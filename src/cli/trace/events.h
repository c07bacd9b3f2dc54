// Turns a timeline into tracks and events for Perfetto (console/perfetto_file.h). Pure.
//
// Per program: a process with its number and name, with a track about the program as a whole. Below it, per queue: a
// track for bursts, with what ran and what was held in them, and one for the mechanism, if it did anything. Per device:
// which programs run, how many run and are held, and what was decided.
#pragma once

#include "cli/trace/traced.h"
#include "cli/trace/tracks.h"

namespace xsched::cli {

TraceEvents trace_events(const Traced& traced);

}  // namespace xsched::cli
