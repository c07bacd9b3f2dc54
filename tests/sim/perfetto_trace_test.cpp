// The trace of a simulation, read back.
#include "sim/perfetto_trace.h"

#include <gtest/gtest.h>

#include "sim/pattern.h"
#include "sim/results.h"
#include "support/directory.h"
#include "support/perfetto.h"

namespace xsched::sim {
namespace {

TEST(PerfettoTrace, SlicesAreWhatHappened) {
    const test::TemporaryDirectory directory;
    const std::string path = directory / "trace";
    const Workload workload = testing::main_job("", 0.3, 0.2);
    PerfettoTrace trace(path, workload);
    const Report report = run_workload(workload, "", false, &trace);
    ASSERT_TRUE(trace.finish(report.ended_ns));

    const test::DecodedTrace decoded(path);
    EXPECT_EQ(decoded.tracks.size(), 8U);
    for (const test::DecodedEvent& event : decoded.events) EXPECT_EQ(event.depth, 0U) << "overlap on " << event.track;
    EXPECT_EQ(decoded.on("bursts").size(), report.programs[0].bursts);
    EXPECT_GT(decoded.on("suspended").size(), 0U);
    EXPECT_GT(decoded.on("on the device").size(), report.programs[0].bursts * 100);
}

}  // namespace
}  // namespace xsched::sim
