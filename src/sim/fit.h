// Finds a device's costs from measurements, and compares the simulator's figures with the other measurements. The
// measurements are the main job's three patterns (docs/benchmarks.md) beside kernels of one length, natively and under
// XSched. The length of high's kernel, the timeslice and the switch are fitted on pattern A beside one length. Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/workload.h"

namespace xsched::sim {

enum class Peer : uint8_t { kNative, kXsched };

// One measured figure: the p50 of high.
struct Measurement {
    Peer peer = Peer::kNative;
    char pattern = 'A';  // pattern of the main job: A, B or C
    int64_t low_ns = 0;  // length of low's kernels; 0: high is alone
    double p50_us = 0;
};

struct Fitted {
    DeviceCosts costs;
    int64_t kernel_ns = 0;  // of high
};

// Returns null if a needed figure was not measured: A alone natively, and beside `low_ns` under XSched.
std::optional<Fitted> fit(const std::vector<Measurement>& measured, int64_t low_ns);
double predict_us(const Fitted& fitted, const Measurement& cell);
Workload main_job(const Fitted& fitted, char pattern, int64_t low_ns);

}  // namespace xsched::sim
