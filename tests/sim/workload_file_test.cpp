// Workloads as files say them.
#include "sim/workload_file.h"

#include <gtest/gtest.h>

#include <string>

namespace xsched::sim {
namespace {

std::string complaint(const std::string& text) {
    try {
        parse_workload(text, "w.toml");
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

TEST(WorkloadFile, SaysEverything) {
    const Workload workload = parse_workload(R"(
name = "all"
seed = 9
duration_ms = 250
devices = 2
policy = "UP"
starvation_limit_ms = 100
[device]
switch_us = 80.5
memory = "80GiB"
memory_back_gb_per_s = 40
[[program]]
name = "a"
count = 3
device = 1
queues = 2
level = 2
priority = 4
silent_waits = 1
copies = 25
memory = "1.5GiB"
burst_memory = 4096
hints = { utilization = 30, deadline_us = 500, memory_limit = "2GiB" }
arrival = { kind = "modulated", phases = [{ rate_per_s = 100, stays_ms = 20 }, { rate_per_s = 0, stays_s = 1 }] }
burst = { kernels = [3, 5], kernel_us = [7, 9.5], sync_every = 2, gap_us = 60 }
[[program]]
arrival = { kind = "periodic", period_ms = 16, announce_us = 700 }
burst = { length_ms = [2, 3], kernels = 8, waits = [1, 4], pauses_us = 90 }
)");
    EXPECT_EQ(workload.duration_ns, 250'000'000);
    EXPECT_EQ(workload.settings.starvation_limit_ns, 100'000'000);
    EXPECT_EQ(workload.costs.switch_us, 80'500);
    EXPECT_EQ(workload.card.bytes, uint64_t{80} << 30);
    EXPECT_EQ(workload.card.back_gb_per_s, 40);
    ASSERT_EQ(workload.programs.size(), 2U);
    const ProgramSpec& spec = workload.programs[0];
    EXPECT_EQ(spec.count, 3U);
    EXPECT_TRUE(spec.silent_waits);
    EXPECT_FALSE(workload.programs[1].silent_waits);
    EXPECT_EQ(spec.copies, 25U);
    EXPECT_EQ(workload.programs[1].copies, 0U);
    EXPECT_EQ(spec.memory, uint64_t{3} << 29);
    EXPECT_EQ(spec.burst_memory, 4096U);
    EXPECT_EQ(spec.hints.memory_limit, int64_t{2} << 30);
    EXPECT_EQ(spec.hints.priority, 4);
    EXPECT_EQ(spec.hints.utilization, 30);
    EXPECT_EQ(spec.hints.deadline_us, 500);
    EXPECT_EQ(spec.burst.kernels, (Range{3, 5}));
    EXPECT_EQ(spec.burst.kernel_ns, (Range{7'000, 9'500}));
    EXPECT_EQ(spec.burst.gap_ns, (Range{60'000, 60'000}));
    ASSERT_EQ(spec.arrival.phases.size(), 2U);
    EXPECT_EQ(spec.arrival.phases[1].mean_ns, 1e9);
    EXPECT_EQ(workload.programs[1].arrival.announce_ns, 700'000);
    EXPECT_EQ(workload.programs[1].burst.length_ns, (Range{2'000'000, 3'000'000}));
    EXPECT_EQ(workload.programs[1].burst.waits, (Range{1, 4}));
    EXPECT_EQ(workload.programs[1].burst.pauses_ns, (Range{90'000, 90'000}));
}

TEST(WorkloadFile, SaysWhereItIsWrong) {
    EXPECT_EQ(complaint("x = 1\n"), "w.toml:1: a workload has [[program]] tables");
    EXPECT_EQ(complaint("[[program]]\nname = 'a'\npriorty = 3\n").find("w.toml:3: \"priorty\" means nothing here"), 0U);
    EXPECT_NE(complaint("[[program]]\nburst = { kernel_us = 'x' }\n").find("is to be a number"), std::string::npos);
    EXPECT_NE(complaint("[[program]]\nburst = { kernel_us = 1, kernel_ms = 1 }\n").find("choose one"),
              std::string::npos);
    EXPECT_NE(complaint("[[program]]\narrival = { kind = 'often' }\n").find("there are closed"), std::string::npos);
    EXPECT_NE(complaint("[[program]\n").find("w.toml:1: "), std::string::npos);
    EXPECT_NE(complaint("[[program]]\nmemory = 'much'\n").find("a size such as"), std::string::npos);
    EXPECT_NE(complaint("[[program]]\nmemory = '1GiB'\n").find("so the device has some"), std::string::npos);
    EXPECT_NE(complaint("[[program]]\npriority = 256\n").find("from -256 to 255"), std::string::npos);
}

TEST(WorkloadFile, ALongerListIsADistribution) {
    const Workload workload = parse_workload(R"(
[[program]]
burst = { kernel_us = [10, 10, 10, 1000] }
)",
                                             "w.toml");
    const Range& length = workload.programs[0].burst.kernel_ns;
    EXPECT_EQ(length.least, 10'000);
    EXPECT_EQ(length.most, 1'000'000);
    Random random(3);
    int brief = 0;
    for (int i = 0; i < 3000; ++i) {
        const int64_t drawn = random.in(length);
        EXPECT_GE(drawn, length.least);
        EXPECT_LE(drawn, length.most);
        brief += drawn == 10'000 ? 1 : 0;
    }
    EXPECT_NEAR(brief, 2000, 150) << "two of three parts";
    EXPECT_NE(complaint("[[program]]\nburst = { kernel_us = [10, 30, 20] }").find("is to ascend"), std::string::npos);
}

}  // namespace
}  // namespace xsched::sim
