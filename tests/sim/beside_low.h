// Simulates an urgent program beside a victim, and returns how long the bursts of the one take and how much of the
// device the other gets.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/workload_file.h"
#include "sim/world.h"

namespace xsched::sim::testing {

struct Seen {
    std::vector<int64_t> bursts_us;
    double low_share = 0;

    int64_t later_us(size_t from) const {
        std::vector<int64_t> sorted(bursts_us.begin() + static_cast<std::ptrdiff_t>(from), bursts_us.end());
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};

inline Seen run_beside_low(const Workload& workload) {
    World world(workload, Scheduling::kServer, nullptr);
    world.run_until(world.begin_ns() + workload.duration_ns);
    Seen seen;
    for (const int64_t ns : world.programs()[0]->results().latency_ns) seen.bursts_us.push_back(ns / 1000);
    const auto used_ns = static_cast<double>(world.programs()[1]->process().context().used_ns);
    seen.low_share = used_ns / static_cast<double>(workload.duration_ns);
    return seen;
}

// Makes the workload. `high`: lines for the urgent program's section [[program]]; `more`: lines before all sections.
inline Workload beside_low(const std::string& high, double low_ms, const std::string& more = "duration_s = 2") {
    return parse_workload("warm_up = 0\n" + more + "\n[[program]]\nname = 'high'\npriority = 1\nstart_ms = 500\n" +
                              high +
                              "\n[[program]]\nname = 'low'\narrival = { kind = 'stream' }\nburst = { kernel_ms = " +
                              std::to_string(low_ms) + " }\n",
                          "test");
}

}  // namespace xsched::sim::testing
