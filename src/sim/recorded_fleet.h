// Recorded days of several nodes (xcli record): the programs that ran there, the class that fits each, and what the
// classes give in a replay. The classes are those of the chart for Kubernetes and of docs/SLURM.md. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ipc/recording.h"

namespace xsched::sim {

struct JobClass {
    const char* name;
    int32_t ceiling;   // the most urgent priority that a job of the class may have
    int32_t priority;  // of its jobs, unless they ask for another
};
inline constexpr JobClass kUrgentClass{"urgent", 100, 50};
inline constexpr JobClass kSharedClass{"shared", 20, 0};
inline constexpr JobClass kBatchClass{"batch", -10, -10};

// All jobs of one program on all nodes.
struct RecordedProgram {
    std::string name;
    uint64_t jobs = 0;   // processes
    double works = 0;    // part of its time that its work would take alone
    double alone_us = 0; // p99 of a burst's work without any other program; 0: its work has no end
    const JobClass* job_class = &kSharedClass;
    int share = 0;  // percent of a GPU that keeps up with its work; 0: it takes what others leave
    // In replays, with the priorities that were recorded and with those of the classes: the longest p99 of a job, and
    // the work done of all jobs, in GPUs.
    double p99_us[2] = {0, 0};
    double gpus[2] = {0, 0};
};

struct RecordedFleet {
    uint64_t nodes = 0;
    uint64_t devices = 0;
    double hours = 0;  // of all nodes
    uint64_t lost = 0;  // entries that were overwritten before they were read
    std::vector<RecordedProgram> programs;  // by name
};

// Reads the recordings, one of each node, and replays each of them twice. Throws std::runtime_error if a recording has
// nothing to replay.
RecordedFleet answer_recorded(const std::vector<ipc::Recording>& nodes, uint64_t seed);

}  // namespace xsched::sim
