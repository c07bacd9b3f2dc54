// How many GPUs a fleet needs.
#include "sim/fleet.h"

#include <gtest/gtest.h>

#include <string>

namespace xsched::sim {
namespace {

const std::string kService =
    "[[job]]\nname = 'service'\nrole = 'urgent'\nlasts_s = [3600, 7200]\nload = 0.2\nworks_s = 60\nrests_s = 540\n";
const std::string kTraining = "[[job]]\nname = 'training'\nlasts_s = [600, 3600]\nleast_share = 0.5\n";

FleetSpec fleet(const std::string& more) { return parse_fleet("jobs = 2000\nlasts_s = 43200\n" + more, "fleet"); }

TEST(Fleet, JobsThatRestShareGpus) {
    const FleetAnswer answer = answer_fleet(fleet(kService));
    EXPECT_LT(answer.shared.peak_gpus * 5, answer.whole.peak_gpus * 3);
    EXPECT_LE(answer.shared.late, 0.01);
    EXPECT_EQ(answer.whole.late, 0.0);
    EXPECT_GT(answer.shared.busy, answer.whole.busy);
}

TEST(Fleet, AStricterTargetNeedsMoreGpus) {
    FleetSpec strict = fleet(kService + kTraining);
    FleetSpec loose = strict;
    strict.p99_times = 1.01;
    loose.p99_times = 4;
    EXPECT_GE(answer_fleet(strict).shared.peak_gpus, answer_fleet(loose).shared.peak_gpus);
}

TEST(Fleet, TrainingOnWholeGpusTakesItsTime) {
    const FleetSpec spec = fleet(kTraining);
    const FleetResult whole = simulate_fleet(spec, 0);
    EXPECT_NEAR(whole.batch_times, 1.0, 1e-6);
    EXPECT_NEAR(whole.busy, 1.0, 1e-6);
    EXPECT_EQ(simulate_fleet(spec, 0.5).peak_gpus, whole.peak_gpus);  // nothing to share
    const FleetResult beside = simulate_fleet(fleet(kService + kTraining), 0.2);
    EXPECT_GT(beside.batch_times, 1.0);
    EXPECT_LT(beside.batch_times, 2.0);
}

TEST(Fleet, OneSeedIsOneDay) {
    FleetSpec spec = fleet(kService + kTraining + "gpus = 4\n");
    const FleetResult first = simulate_fleet(spec, 0.2);
    const FleetResult again = simulate_fleet(spec, 0.2);
    EXPECT_EQ(first.peak_gpus, again.peak_gpus);
    EXPECT_EQ(first.late, again.late);
    spec.seed = 2;
    EXPECT_NE(simulate_fleet(spec, 0.2).mean_gpus, first.mean_gpus);
}

TEST(Fleet, AWorkTimeOfAgesIsATime) {
    FleetSpec spec = fleet(kService);
    spec.kinds[0].works_s = spec.kinds[0].rests_s = 1e18;
    EXPECT_GT(simulate_fleet(spec, 0.3).peak_gpus, 0U);
}

TEST(Fleet, SaysWhereAFileIsWrong) {
    EXPECT_THROW(parse_fleet("jobs = 10\n", "f"), std::runtime_error);
    EXPECT_THROW(parse_fleet("[[job]]\nrole = 'king'\n", "f"), std::runtime_error);
    EXPECT_THROW(parse_fleet("[[job]]\ngpus = 9\n", "f"), std::runtime_error);
    EXPECT_THROW(parse_fleet("[[job]]\nworks_s = 1e300\n", "f"), std::runtime_error);
}

}  // namespace
}  // namespace xsched::sim
