// Turns a recording into a workload. Each queue becomes a program with the recorded bursts and pauses. A queue that was
// never seen idle becomes a program with work without end. Any thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ipc/recording.h"
#include "sim/workload.h"

namespace xsched::sim {

inline constexpr const char* kNoBurst =
    "no work of any program is in the recording: they did nothing, or had no rival on their device, so that they were "
    "not followed. Record again beside the others, or under policy OBSERVE (xcli policy OBSERVE), which follows all";

// Reads a recording. Throws std::runtime_error if the file cannot be read, or is no recording.
ipc::Recording read_recording_file(const std::string& path);
void write_recording_file(const std::string& path, const ipc::Recording& recording);

// Returns the name of each queue's program in the workload: the program's own or, where several queues of that name had
// work, with the queue as xcli list names it, such as "serve 4711.1". Empty: the queue did nothing, and is left out.
std::vector<std::string> replay_names(const ipc::Recording& recording);

// Returns the programs that had a queue, and of which the recording has no work: they are left out.
std::set<std::string> programs_left_out(const ipc::Recording& recording);

// Makes the workload. Throws std::runtime_error if the recording has nothing to replay.
Workload replay_workload(const ipc::Recording& recording);

}  // namespace xsched::sim
