// Programs whose memory does not fit onto the device together, with the server's own planner of memory.
#include <gtest/gtest.h>

#include "sim/results.h"
#include "sim/workload_file.h"

namespace xsched::sim {
namespace {

// `text`: programs on devices of 80 GiB.
Workload on_a_card(const std::string& text, double seconds, int devices = 1) {
    return parse_workload("duration_s = " + std::to_string(seconds) + "\ndevices = " + std::to_string(devices) +
                              "\n[device]\nmemory = '80GiB'\n" + text,
                          "test");
}

std::string training(const std::string& name, const std::string& memory, const std::string& more = "") {
    return "[[program]]\nname = '" + name + "'\nmemory = '" + memory + "'\ndepth = 2\narrival = { kind = 'stream' }\n" +
           "burst = { kernel_ms = 20 }\n" + (more.empty() ? "hints = { evictable = 1 }\n" : more);
}

std::string server(const std::string& memory, const std::string& more = "") {
    return "[[program]]\nname = 'server'\nmemory = '" + memory + "'\nstart_s = 5\nend_s = 10\n" +
           "hints = { priority = 10 }\narrival = { kind = 'closed', think_ms = 20 }\n" +
           "burst = { kernels = 10, kernel_ms = 1 }\n" + more;
}

Report run(const Workload& workload, bool native = false) { return run_workload(workload, "", native); }

TEST(SimulatedMemory, AnUrgentAllocationThatFailsNativelySucceeds) {
    const Workload workload = on_a_card(training("training", "50GiB") + server("60GiB"), 15);
    const Report native = run(workload, true);
    EXPECT_EQ(native.programs[1].memory.refused_bytes, uint64_t{60} << 30);
    EXPECT_EQ(native.programs[1].bursts, 0U);
    const Report report = run(workload);
    EXPECT_EQ(report.programs[1].memory.refused_bytes, 0U);
    EXPECT_GT(report.programs[1].bursts, 100U);
    EXPECT_LT(report.programs[1].memory.waited_ns, 1'000'000'000) << "30 GiB at 51 GB/s, and work in flight";
    EXPECT_GT(report.programs[1].memory.waited_ns, 600'000'000);
    EXPECT_EQ(report.programs[0].memory.moved_bytes, uint64_t{60} << 30) << "as much as was missing, there and back";
    EXPECT_EQ(report.programs[0].on_card_gib, 50);
    EXPECT_LE(report.devices[0].most_used_gib, 80);
}

TEST(SimulatedMemory, MemoryThatMayNotMoveStays) {
    const std::string kept = "hints = { evictable = 0 }\n";
    const Report report = run(on_a_card(training("training", "50GiB", kept) + server("60GiB"), 12));
    EXPECT_EQ(report.programs[1].memory.refused_bytes, uint64_t{60} << 30);
    EXPECT_EQ(report.programs[0].memory.swaps, 0U);
    const std::string part = "hints = { evictable = 1, memory_guarantee = '30GiB' }\n";
    EXPECT_NE(
        run(on_a_card(training("training", "50GiB", part) + server("60GiB"), 12)).programs[1].memory.refused_bytes, 0U);
    EXPECT_EQ(
        run(on_a_card(training("training", "50GiB", part) + server("50GiB"), 12)).programs[1].memory.refused_bytes, 0U);
}

TEST(SimulatedMemory, ALimitCountsWhateverIsFree) {
    const std::string limited = "hints = { memory_limit = '20GiB' }\n";
    const Report report = run(on_a_card(training("large", "21GiB", limited) + training("small", "20GiB", limited), 2));
    EXPECT_NE(report.programs[0].memory.refused_bytes, 0U);
    EXPECT_EQ(report.programs[1].memory.refused_bytes, 0U);
}

// Two trainings that do not fit side by side: at most a tenth of the time goes into swaps, and both get on alike.
TEST(SimulatedMemory, EqualsTakeTurns) {
    const Report alone = run(on_a_card(training("one", "50GiB"), 240));
    const Report both = run(on_a_card(training("one", "50GiB") + training("two", "50GiB"), 240));
    EXPECT_LE(both.devices[0].memory_moving, 0.1);
    EXPECT_GT(both.programs[0].memory.swaps, 5U);
    const double rate = alone.programs[0].kernels_per_s;
    for (const ProgramReport& program : both.programs) EXPECT_GT(program.kernels_per_s, 0.35 * rate) << program.name;
    EXPECT_GT(both.programs[0].kernels_per_s + both.programs[1].kernels_per_s, 0.85 * rate);
    EXPECT_LE(both.devices[0].most_used_gib, 80);
}

// A program allocates and frees memory in each burst. While its bursts follow each other closely, the memory of the
// training program must stay moved away.
TEST(SimulatedMemory, MemoryOfBurstsComesAndGoes) {
    const std::string bursts =
        "[[program]]\nname = 'bursts'\nburst_memory = '40GiB'\nhints = { priority = 10 }\n"
        "arrival = { kind = 'closed', think_ms = 100 }\nburst = { kernels = 10, kernel_ms = 1 }\n";
    const Report report = run(on_a_card(training("training", "50GiB") + bursts, 60));
    EXPECT_GT(report.programs[1].bursts, 450U);
    EXPECT_LE(report.programs[0].memory.swaps, 12U) << "not for each moment of room";
    EXPECT_LE(report.devices[0].memory_moving, 0.1);
    const std::string seldom =
        "[[program]]\nname = 'bursts'\nburst_memory = '40GiB'\nhints = { priority = 10 }\n"
        "arrival = { kind = 'closed', think_s = 4 }\nburst = { kernels = 10, kernel_ms = 1 }\n";
    const Report rare = run(on_a_card(training("training", "50GiB") + seldom, 40));
    EXPECT_GE(rare.programs[0].memory.swaps, 8U) << "once for each burst";
    EXPECT_GT(rare.programs[0].kernels_per_s, 20) << "and it has the device in between";
}

// A gang of two devices: the urgent program needs the first one's memory alone.
TEST(SimulatedMemory, AGangMovesTogether) {
    const std::string member = "hints = { evictable = 1, gang = 7 }\n";
    const Workload workload =
        on_a_card(training("first", "50GiB", member) + training("second", "40GiB", member + "device = 1\n") +
                      training("stranger", "30GiB", "hints = { evictable = 1 }\ndevice = 1\n") + server("60GiB"),
                  20, 2);
    const Report report = run(workload);
    EXPECT_EQ(report.programs[3].memory.refused_bytes, 0U);
    EXPECT_EQ(report.programs[0].memory.swaps, 1U);
    EXPECT_EQ(report.programs[1].memory.swaps, 1U) << "it could not get on without the first";
    EXPECT_EQ(report.programs[1].memory.moved_bytes, uint64_t{80} << 30) << "all of it";
    EXPECT_EQ(report.programs[2].memory.swaps, 0U);
    EXPECT_EQ(report.programs[0].on_host_gib + report.programs[1].on_host_gib, 0) << "both are back";
    EXPECT_NEAR(report.programs[0].memory.waited_ns, report.programs[1].memory.waited_ns, 2e9);
}

// A gang whose memory on one device does not fit beside an equal's takes turns with it as one.
TEST(SimulatedMemory, AGangTakesTurnsAsOne) {
    const std::string member = "hints = { evictable = 1, gang = 7 }\n";
    const Report report =
        run(on_a_card(training("first", "50GiB", member) + training("second", "20GiB", member + "device = 1\n") +
                          training("rival", "50GiB"),
                      240, 2));
    for (const ProgramReport& program : report.programs) EXPECT_GT(program.kernels_per_s, 15) << program.name;
    EXPECT_NEAR(report.programs[0].memory.swaps, report.programs[1].memory.swaps, 1);
    EXPECT_GT(report.programs[0].memory.swaps, 3U);
    EXPECT_LE(report.devices[0].memory_moving, 0.1);
}

// Random programs that each fit alone: the device is never given out twice, and all memory comes back in the end.
TEST(SimulatedMemory, RandomProgramsAreServed) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Random random(seed);
        std::string text;
        const int64_t programs = 2 + random.below(4);
        for (int64_t at = 0; at < programs; ++at) {
            const bool stays = at == 0;
            text += "[[program]]\nname = 'p" + std::to_string(at) + "'\nmemory = '" +
                    std::to_string(5 + random.below(40)) + "GiB'\nburst_memory = '" +
                    std::to_string(stays ? 0 : random.below(20)) + "GiB'\ndevice = " + std::to_string(random.below(2)) +
                    "\nstart_s = " + std::to_string(random.below(10)) +
                    (stays ? "" : "\nend_s = " + std::to_string(20 + random.below(20))) +
                    "\nhints = { evictable = " + std::to_string(stays || random.below(4) != 0 ? 1 : 0) +
                    ", priority = " + std::to_string(random.below(3)) + ", gang = " + std::to_string(random.below(2)) +
                    " }\narrival = { kind = 'closed', think_ms = " + std::to_string(50 + random.below(3000)) +
                    " }\nburst = { kernels = 5, kernel_ms = 10 }\n";
        }
        const Workload workload = on_a_card(text, 80, 2);
        const Report report = run(workload);
        for (const DeviceReport& device : report.devices) EXPECT_LE(device.most_used_gib, 80) << seed;
        for (const ProgramReport& program : report.programs) {
            EXPECT_EQ(program.on_host_gib, 0) << seed << " " << program.name << "\n" << text;
            EXPECT_TRUE(program.bursts > 0 || program.memory.refused_bytes != 0) << seed << " " << program.name;
        }
        EXPECT_EQ(run(workload).hash, report.hash) << seed;
    }
}

}  // namespace
}  // namespace xsched::sim
