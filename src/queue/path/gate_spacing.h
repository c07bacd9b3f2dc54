// Tells which commands of a gated queue have a gate before them, and which report their progress. A gate is a wait of
// the device on a word: while that is closed, the commands behind it do not start. A report is a number that the device
// writes. A gate or a report costs the host 1.3 us and the device 2 us (NVIDIA): so there is one per so much device
// time, not one per command. Where the backend has measured what they cost, the distance follows from that, and where
// launches take longer than what they launch, from what those cost. Pure; guarded by the queue's lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "queue/device.h"

namespace xsched::queue {

// How many launches a vendor's hardware queue holds before another launch blocks.
inline constexpr uint32_t kDriverHolds = 1024;
// Returns the most commands in flight while the queue may be suspended. A full queue behind a closed gate would block
// the caller inside the driver, with locks held that other threads need.
constexpr uint32_t gated_cap() { return kDriverHolds / 2; }
// Most commands from one gate to the next, and from one report to the next, even if they are so brief that the wanted
// distance in time would allow more.
inline constexpr uint32_t kMostWithout = 64;

// Device time from one report to the next, and so how late completions are seen.
inline constexpr int64_t kReportEveryNs = base::kMillisecond;  // decision 001

// Returns how many commands share a gate, so that gates are `wanted_ns` apart. `command_ns`: mean length; 0: unknown.
inline uint32_t one_of(int64_t wanted_ns, int64_t command_ns, uint32_t most) {
    if (command_ns <= 0) return std::min(most, 4u);
    return static_cast<uint32_t>(std::clamp<int64_t>(wanted_ns / command_ns, 1, most));
}

class GateSpacing {
public:
    static constexpr int64_t kEveryNs = 150 * base::kMicrosecond;  // decision 001
    // Distance of gates if a short timeslice takes the whole process off: then gates only hold work that would start in
    // the urgent program's pauses.
    static constexpr int64_t kEveryPreemptedNs = 750 * base::kMicrosecond;  // decision 020

    // A gate and a report take at most 1/kShare of the device's time.
    static constexpr int64_t kShare = 50;
    static constexpr int64_t kMostEveryNs = 2 * base::kMillisecond;  // judgement

    void begin() { *this = GateSpacing{}; }
    void measured(const XqGateCost& cost) {
        least_every_ns_ = std::min(kShare * int64_t{cost.device_ns}, kMostEveryNs);
        gate_host_ns_ = cost.host_ns;
    }
    // Returns whether to measure how long the driver's call of a command takes: for the first few followed ones. The
    // shortest counts.
    bool measures_launches() const { return samples_ < kSamples; }
    void launch_took(int64_t ns) { launch_ns_ = samples_++ == 0 ? ns : std::min(launch_ns_, ns); }
    int64_t launch_ns() const { return samples_ < kSamples ? 0 : launch_ns_; }
    // Returns the distance of gates: `usual_ns`, or more if the device's gates are costly.
    int64_t every_ns(int64_t usual_ns) const { return std::max(usual_ns, least_every_ns_); }
    // Returns whether gates would take much of the time of a thread that launches into all of the program's queues in
    // turn: a gate and a report cost it about one more launch. On an H200 they took 44 % of a program of 45 brief
    // queues. One of two queues loses 3 %, and its gates make others' bursts 0.1 ms shorter (docs/levels.md).
    bool is_dear(int64_t command_ns, uint32_t queues) const {
        constexpr int64_t kPart = 6;  // gates are dear from 1/kPart of the thread's time on: between the two measured
                                      // programs
        return command_ns > 0 && kPart * launch_ns() * queues >= command_ns;
    }
    void work_launched() { ++since_gate_; }
    void gate_launched() { since_gate_ = 0; }
    // Returns true once per suspension (begun at `since_ns`): no gate of it is in the stream yet.
    bool first_of_suspension(int64_t since_ns) { return std::exchange(gated_at_ns_, since_ns) != since_ns; }
    bool due(int64_t every_ns, int64_t command_ns) const {
        return since_gate_ + 1 >= std::max(one_of(every_ns, command_ns, kMostWithout), apart_for_host(command_ns));
    }

private:
    static constexpr int kSamples = 8;

    // Returns the distance at which a gate and a report take at most that part of the launching thread's time, if the
    // device waits for that thread.
    uint32_t apart_for_host(int64_t command_ns) const {
        if (gate_host_ns_ == 0 || command_ns <= 0 || launch_ns() <= command_ns) return 1;
        return static_cast<uint32_t>(std::clamp<int64_t>(kShare * gate_host_ns_ / launch_ns(), 1, gated_cap() / 2));
    }

    int64_t least_every_ns_ = 0;
    int64_t gate_host_ns_ = 0;
    int64_t launch_ns_ = 0;
    int samples_ = 0;
    int64_t gated_at_ns_ = 0;  // begin of the suspension to which the last gate belongs
    uint32_t since_gate_ = 0;  // pieces of work launched after the last gate
};

// Returns how many commands share a report, while at most `most` may be in flight. Between reports, the end of a
// synchronize tells the progress, and the scheduler asks when it sees none for a while.
inline uint32_t report_stride(uint32_t most, int64_t mean_ns) {
    return one_of(kReportEveryNs, mean_ns, std::clamp<uint32_t>(most / 4, 1, kMostWithout));
}

}  // namespace xsched::queue
