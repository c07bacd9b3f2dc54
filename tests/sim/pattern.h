// The programs of the benchmark "main job" (an urgent one beside a background one), as a workload of the simulator.
#pragma once

#include <string>

#include "sim/workload_file.h"

namespace xsched::sim::testing {

// The main job as a workload. `shape`: more keys for the urgent program's bursts, such as "sync_every = 5".
inline Workload main_job(const std::string& shape, double low_ms, double seconds = 2) {
    const std::string text = "duration_s = " + std::to_string(seconds) +
                             "\n[[program]]\nname = 'high'\npriority = 1\n"
                             "arrival = { kind = 'closed', think_ms = [12, 18] }\n"
                             "burst = { kernels = 100, kernel_us = 7" +
                             (shape.empty() ? "" : ", " + shape) +
                             " }\n[[program]]\nname = 'low'\narrival = { kind = 'stream' }\nburst = { kernel_ms = " +
                             std::to_string(low_ms) + " }\n";
    return parse_workload(text, "test");
}

}  // namespace xsched::sim::testing
