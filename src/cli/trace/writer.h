// Writes a trace into a file, by the clock that Perfetto expects. Main thread.
#pragma once

#include <cstdint>
#include <string>

#include "cli/trace/tracks.h"

namespace xsched::cli {

// Writes the trace; its times are by the monotonic clock. Returns the file's length. Throws Failure if the file cannot
// be written.
uint64_t write_trace(const std::string& path, const TraceEvents& trace);

}  // namespace xsched::cli
