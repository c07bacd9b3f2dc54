// The classes that recorded days of several nodes ask for.
#include "sim/recorded_fleet.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/results.h"
#include "sim/workload_file.h"

namespace xsched::sim {
namespace {

// A service that rests most of the time beside a training, both of one priority, on a node that is observed.
ipc::Recording day(const std::string& think_ms) {
    const Workload workload = parse_workload(
        "duration_s = 4\n"
        "[[program]]\nname = 'serve'\narrival = { kind = 'closed', think_ms = " +
        think_ms +
        " }\n"
        "burst = { kernels = 50, kernel_us = 100, sync_every = 10 }\n"
        "[[program]]\nname = 'train'\narrival = { kind = 'stream' }\nburst = { kernel_us = 2000 }\n");
    ipc::Recording recording;
    run_workload(workload, "OBSERVE", false, nullptr, &recording);
    return recording;
}

const RecordedProgram& of(const RecordedFleet& fleet, const std::string& name) {
    for (const RecordedProgram& program : fleet.programs)
        if (program.name == name) return program;
    throw std::runtime_error(name + " is missing");
}

TEST(RecordedFleet, GivesEachProgramItsClass) {
    const RecordedFleet fleet = answer_recorded({day("[20, 30]"), day("[40, 60]")}, 1);
    EXPECT_EQ(fleet.nodes, 2U);
    EXPECT_EQ(fleet.devices, 2U);
    EXPECT_NEAR(fleet.hours, 8.0 / 3600, 1e-4);
    const RecordedProgram& serve = of(fleet, "serve");
    const RecordedProgram& train = of(fleet, "train");
    EXPECT_EQ(serve.jobs, 2U);
    EXPECT_EQ(serve.job_class, &kUrgentClass);
    EXPECT_NEAR(serve.alone_us, 5000, 100);
    EXPECT_EQ(serve.share % 5, 0);
    EXPECT_GE(serve.share, 100 * serve.works);
    EXPECT_EQ(train.job_class, &kBatchClass);
    EXPECT_EQ(train.share, 0);
    EXPECT_EQ(train.works, 1.0);
}

TEST(RecordedFleet, ReplaysShowWhatTheClassesGive) {
    const RecordedFleet fleet = answer_recorded({day("[20, 30]")}, 1);
    const RecordedProgram& serve = of(fleet, "serve");
    EXPECT_GT(serve.p99_us[0], 1.5 * serve.alone_us) << "beside an equal";
    EXPECT_LT(serve.p99_us[1], 0.8 * serve.p99_us[0]) << "in its class";
    EXPECT_GT(of(fleet, "train").gpus[1], 0.5);
}

TEST(RecordedFleet, ANodeThatDidNothingIsRefused) { EXPECT_THROW(answer_recorded({{}}, 1), std::runtime_error); }

}  // namespace
}  // namespace xsched::sim
