// Turns a recording into a workload. Each queue becomes a program with the recorded bursts and pauses. A queue that was
// never seen idle becomes a program with work without end. Any thread.
#pragma once

#include <string>

#include "ipc/recording.h"
#include "sim/workload.h"

namespace xsched::sim {

// Reads a recording. Throws std::runtime_error if the file cannot be read, or is no recording.
ipc::Recording read_recording_file(const std::string& path);
void write_recording_file(const std::string& path, const ipc::Recording& recording);

// Returns the name of a queue's program in the workload.
std::string replay_name(const ipc::RecordedQueue& queue);

// Makes the workload. Throws std::runtime_error if the recording has nothing to replay.
Workload replay_workload(const ipc::Recording& recording);

}  // namespace xsched::sim
