// Several victims of one priority cost an urgent program what a single one does: they take turns.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/beside_low.h"

namespace xsched::sim {
namespace {

using testing::Seen;

struct Crowd {
    int64_t p50_us = 0;
    int64_t p95_us = 0;
    double victims_share = 0;  // of the device, all together
};

// Simulates bursts of 20 times 5 kernels and a wait, beside this many victims.
Crowd beside(int victims, double kernel_ms) {
    std::string text =
        "warm_up = 0\nduration_s = 4\n[[program]]\nname = 'high'\npriority = 1\nstart_ms = 500\n"
        "arrival = { kind = 'closed', think_ms = [12, 18] }\n"
        "burst = { kernels = 100, kernel_us = 7.0, sync_every = 5 }\n";
    for (int i = 0; i < victims; ++i)
        text += "[[program]]\nname = 'low" + std::to_string(i) +
                "'\narrival = { kind = 'stream' }\nburst = { kernel_ms = " + std::to_string(kernel_ms) + " }\n";
    const Workload workload = parse_workload(text, "test");
    World world(workload, Scheduling::kServer, nullptr);
    world.run_until(world.begin_ns() + workload.duration_ns);
    std::vector<int64_t> bursts = world.programs()[0]->results().latency_ns;
    std::sort(bursts.begin(), bursts.end());
    Crowd crowd{.p50_us = bursts[bursts.size() / 2] / 1000, .p95_us = bursts[bursts.size() * 95 / 100] / 1000};
    for (size_t i = 1; i < world.programs().size(); ++i)
        crowd.victims_share += static_cast<double>(world.programs()[i]->process().context().used_ns) /
                               static_cast<double>(workload.duration_ns);
    return crowd;
}

TEST(Crowds, CostWhatOneVictimDoes) {
    for (const double kernel_ms : {0.05, 0.3, 3.0}) {
        const Crowd one = beside(1, kernel_ms);
        for (const int victims : {2, 5, 10}) {
            const Crowd crowd = beside(victims, kernel_ms);
            EXPECT_LE(crowd.p50_us, one.p50_us * 11 / 10) << victims << " of " << kernel_ms;
            EXPECT_LE(crowd.p95_us, one.p95_us * 13 / 10) << victims << " of " << kernel_ms;
            EXPECT_GE(crowd.victims_share, one.victims_share * 0.93) << victims << " of " << kernel_ms;
        }
    }
}

}  // namespace
}  // namespace xsched::sim
