// A recording as a workload: each queue becomes a program that brings the work that was seen, with the pauses that were
// seen between. A queue that was never seen idle becomes one without end. Any thread.
#pragma once

#include <string>

#include "ipc/recording.h"
#include "sim/workload.h"

namespace xsched::sim {

// Throws std::runtime_error: the file cannot be read, or is none.
ipc::Recording read_recording_file(const std::string& path);
void write_recording_file(const std::string& path, const ipc::Recording& recording);

// Throws std::runtime_error: nothing in it can be replayed.
Workload replay_workload(const ipc::Recording& recording);

}  // namespace xsched::sim
