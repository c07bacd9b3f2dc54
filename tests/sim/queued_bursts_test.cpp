// Requests that queue beside a victim.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/beside_low.h"
#include "support/sanitized.h"

namespace xsched::sim {
namespace {

using testing::beside_low;
using testing::run_beside_low;
using testing::Seen;

// A request of MobileNetV2, and one of ResNet-50, as in bench/workloads/published/w2_orion.toml. Two of the latter
// outlast the driver's own timeslice.
constexpr const char* kRequests[] = {
    "arrival = { kind = 'poisson', rate_per_s = 40 }\nburst = { kernels = 20, kernel_us = 40 }",
    "arrival = { kind = 'poisson', rate_per_s = 40 }\nburst = { kernels = 35, kernel_us = 40 }"};
constexpr const char* kSeconds = test::kSanitized ? "duration_s = 10" : "duration_s = 20";

int64_t part_us(const Seen& seen, double part) {
    std::vector<int64_t> sorted = seen.bursts_us;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size()))];
}

Seen run(const char* requests, bool careful, double low_ms) {
    Workload workload = beside_low(requests, low_ms, kSeconds);
    workload.settings.precautions = careful;
    return run_beside_low(workload);
}

// A burst that comes while another is served waits for that one's switch, but needs none of its own.
TEST(QueuedBursts, WhichWaitedForAnotherPaysForNoSwitchOfItsOwn) {
    constexpr int64_t kSwitchAndBackUs = 350;
    for (const char* requests : kRequests)
        for (const double low_ms : {0.3, 3.0}) {
            const Seen kept = run(requests, true, low_ms), not_kept = run(requests, false, low_ms);
            EXPECT_LE(part_us(kept, 0.98), part_us(not_kept, 0.98) - kSwitchAndBackUs + 50) << low_ms;
            EXPECT_EQ(part_us(kept, 0.5), part_us(not_kept, 0.5)) << low_ms;
            // 40 keep-alives of 0.25 ms in each second may cost the victim one percent of the device.
            EXPECT_GT(kept.low_share, not_kept.low_share - 0.011) << low_ms;
        }
}

}  // namespace
}  // namespace xsched::sim
