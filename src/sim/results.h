// The results of a run: latencies, rates and shares of each program, and the use of each device. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/meter.h"
#include "sim/world.h"

namespace xsched::sim {

// Quantiles of times; 0 if there are none.
class Latency {
public:
    Latency() = default;
    explicit Latency(std::vector<int64_t> latency_ns);

    size_t count() const { return sorted_ns_.size(); }
    double p50_us() const { return quantile_us(0.5); }
    double p95_us() const { return quantile_us(0.95); }
    double p99_us() const { return quantile_us(0.99); }
    double max_us() const { return quantile_us(1); }

private:
    double quantile_us(double part) const;

    std::vector<int64_t> sorted_ns_;
};

struct ProgramReport {
    std::string name;
    Latency latency;
    uint64_t bursts = 0;
    double kernels_per_s = 0;
    double share = 0;  // part of its device's time
    uint64_t interrupts = 0;
    MeterError meter;
    MemoryResults memory;
    double on_card_gib = 0;  // at the end
    double on_host_gib = 0;
    std::string says;  // the policy's note about it at the end
};

struct DeviceReport {
    double busy = 0;  // of the time
    double switching = 0;
    uint64_t switches = 0;
    double memory_moving = 0;  // part of the time in which programs' memory moved
    double most_used_gib = 0;
};

struct Report {
    std::string title;  // the policy's name, or "native"
    double simulated_s = 0;
    int64_t ended_ns = 0;  // end of the run, on the virtual clock
    uint64_t events = 0;
    uint64_t passes = 0;
    uint64_t decisions = 0;
    uint64_t hash = 0;
    std::string thrown_out;  // why a policy was thrown out for breaking its contract
    std::vector<ProgramReport> programs;
    std::vector<DeviceReport> devices;
};

// Runs the workload to its end. `policy` empty: the workload's own. `native`: without a scheduler. `recording`:
// receives what the server saw.
Report run_workload(Workload workload, const std::string& policy, bool native, Observer* observer = nullptr,
                    ipc::Recording* recording = nullptr);

}  // namespace xsched::sim
