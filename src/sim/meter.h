// Measures the lengths of a queue's commands and its device time twice: as the device knows them, and as a process's
// own meter (queue/path/command_meter.h) derives them from completions. Keeps the error of the latter.
#pragma once

#include <cstdint>

#include "queue/path/command_meter.h"

namespace xsched::sim {

// A process's measurements beside the true figures.
struct MeterError {
    int64_t true_ns = 0;   // true device time of the queue
    int64_t said_ns = 0;
    uint64_t samples = 0;  // of mean lengths
    double relative = 0;   // sum of relative errors
    double most = 0;       // largest relative error

    void join(const MeterError& other);
};

class Meter {
public:
    // `learned`: the scheduler gets the figures of the process's meter; otherwise the true ones.
    explicit Meter(bool learned) : learned_(learned) {}

    // --- events that the queue sees (queue/path/gated_path.cpp, queue/stop/hardware_stop.cpp)
    void flight_began(int64_t now_ns) { seen_.flight_began(now_ns); }
    // Takes in completions since the last call. `followed`: the queue was watched.
    void completed(uint32_t count, bool followed, int64_t now_ns);
    // How the queue is stopped. Level 0: not at all. Level 2: its gate is closed since `directed_ns`, and about
    // `run_on_ns` of its work still runs. Level 3: its process is off the device. `runs`: it is known to have had work
    // on the device then.
    struct Stop {
        uint32_t level = 0;
        int64_t directed_ns = 0;
        int64_t run_on_ns = 0;
        int64_t switch_ns = 0;
        bool runs = false;
    };
    void follow(const Stop& stop, int64_t now_ns);

    // --- events that the device sees
    void ran(int64_t length_ns, bool followed);

    int64_t command_ns() const { return learned_ ? seen_.command_ns() : command_ns_; }
    int64_t busy_ns() const { return learned_ ? seen_.busy_ns() : true_ns_; }
    MeterError error() const;

private:
    void start(const Stop& stop, int64_t now_ns);

    bool learned_;
    queue::CommandMeter seen_;
    uint32_t level_ = 0;  // level of the present stop
    int64_t stopped_ns_ = 0;
    int64_t command_ns_ = 0;  // the true mean
    int64_t true_ns_ = 0;  // of commands that ran while the queue was watched
    MeterError error_;
};

}  // namespace xsched::sim
