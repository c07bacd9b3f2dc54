// A timeline as tracks and events for Perfetto (console/perfetto_file.h). Pure.
//
// Per program: a process with its number and name, on whose own track it says what the program as a whole does. Below
// it, per queue: bursts, and within them what ran and what was held; and what the mechanism did, if anything. Per
// device: which programs run on it, how many run and are held, and what was decided.
#pragma once

#include "cli/trace/traced.h"
#include "cli/trace/tracks.h"

namespace xsched::cli {

TraceEvents trace_events(const Traced& traced);

}  // namespace xsched::cli
