// A trace into a file, by the clock that Perfetto expects. Main thread.
#pragma once

#include <cstdint>
#include <string>

#include "cli/trace/tracks.h"

namespace xsched::cli {

// Times of events are by the monotonic clock. Returns the file's length; throws Failure if it cannot be written.
uint64_t write_trace(const std::string& path, const TraceEvents& trace);

}  // namespace xsched::cli
