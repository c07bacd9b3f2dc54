// Turns a recording into a workload. Each queue becomes a program with the recorded bursts and pauses. A queue that was
// never seen idle becomes a program with work without end. Any thread.
#pragma once

#include <string>
#include <vector>

#include "ipc/recording.h"
#include "sim/workload.h"

namespace xsched::sim {

// Reads a recording. Throws std::runtime_error if the file cannot be read, or is no recording.
ipc::Recording read_recording_file(const std::string& path);
void write_recording_file(const std::string& path, const ipc::Recording& recording);

// Returns the name of each queue's program in the workload: the program's own or, where several queues of that name had
// work, with the queue as xcli list names it, such as "serve 4711.1". Empty: the queue did nothing, and is left out.
std::vector<std::string> replay_names(const ipc::Recording& recording);

// Makes the workload. Throws std::runtime_error if the recording has nothing to replay.
Workload replay_workload(const ipc::Recording& recording);

}  // namespace xsched::sim
