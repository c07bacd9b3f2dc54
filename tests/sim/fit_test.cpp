// Costs from measurements: made by a simulation with known costs, they are found again.
#include "sim/fit.h"

#include <gtest/gtest.h>

namespace xsched::sim {
namespace {

TEST(Fit, FindsTheCostsAgain) {
    Fitted truth{.kernel_ns = 8'200};
    truth.costs.switch_us = 120'000;
    std::vector<Measurement> measured;
    for (const Measurement& cell : {Measurement{Peer::kNative, 'A', 0, 0}, Measurement{Peer::kXsched, 'A', 300'000, 0}})
        measured.push_back({cell.peer, cell.pattern, cell.low_ns, predict_us(truth, cell)});
    const std::optional<Fitted> fitted = fit(measured, 300'000);
    ASSERT_TRUE(fitted);
    EXPECT_NEAR(static_cast<double>(fitted->kernel_ns), 8'200, 30);
    EXPECT_NEAR(static_cast<double>(fitted->costs.switch_us), 120'000, 3'000);
    EXPECT_FALSE(fit(measured, 1'000'000));
}

}  // namespace
}  // namespace xsched::sim
