// The lengths of a queue's commands and its device time: true, as the device knows them, and as a process's own meter
// (queue/path/command_meter.h) takes them from the completions that it sees. The error of the second is kept.
#pragma once

#include <cstdint>

#include "queue/path/command_meter.h"

namespace xsched::sim {

// The figures of a process's meter beside the true ones.
struct MeterError {
    int64_t true_ns = 0;   // device time of the queue
    int64_t said_ns = 0;
    uint64_t samples = 0;  // of mean lengths
    double relative = 0;   // their relative errors, added up
    double most = 0;       // the largest of them

    void join(const MeterError& other);
};

class Meter {
public:
    // `learned`: the scheduler gets what the process's meter says, otherwise the truth.
    explicit Meter(bool learned) : learned_(learned) {}

    // --- as the queue sees it (queue/path/gated_path.cpp, queue/stop/hardware_stop.cpp)
    void flight_began(int64_t now_ns) { seen_.flight_began(now_ns); }
    // Since the last time the queue was followed, or it was not.
    void completed(uint32_t count, bool followed, int64_t now_ns);
    // Level 0: it may run. 2: its gate is closed, since `directed_ns`, and about `run_on_ns` is still its own. 3: its
    // process is off the device. `runs`: it is known to have had work there.
    struct Stop {
        uint32_t level = 0;
        int64_t directed_ns = 0;
        int64_t run_on_ns = 0;
        int64_t switch_ns = 0;
        bool runs = false;
    };
    void follow(const Stop& stop, int64_t now_ns);

    // --- as the device knows it
    void ran(int64_t length_ns, bool followed);

    int64_t command_ns() const { return learned_ ? seen_.command_ns() : command_ns_; }
    int64_t busy_ns() const { return learned_ ? seen_.busy_ns() : true_ns_; }
    MeterError error() const;

private:
    void start(const Stop& stop, int64_t now_ns);

    bool learned_;
    queue::CommandMeter seen_;
    uint32_t level_ = 0;  // at which it is stopped
    int64_t stopped_ns_ = 0;
    int64_t command_ns_ = 0;  // the true mean
    int64_t true_ns_ = 0;  // of commands that were followed
    MeterError error_;
};

}  // namespace xsched::sim
