// xcli doctor --run on the stand-in for CANN: what it says about the pause of all send queues.
#include "probe/doctor_rig.h"

namespace xsched::test {
namespace {

class DoctorAscend : public DoctorRuns {
protected:
    void SetUp() override {
        DoctorRuns::SetUp();
        if (*FAKE_ASCEND == '\0') GTEST_SKIP() << "Ascend is not built here";
    }
    // The stand-in for CANN; `library` may be the older one, without the driver's call.
    void try_ascend(const std::string& steps, const Environment& faults, const char* library = FAKE_ASCEND) {
        run("ascend", steps, {{"XSCHED_ASCEND_LIB", library}}, faults, {});
    }
    void try_pause(const char* fault) { try_ascend(kPauses, {{"FAKE_ASCEND_PAUSE", fault}}); }

    static constexpr const char* kPauses = "device,pause,stop 2";
};

TEST_F(DoctorAscend, EveryStep) {
    try_ascend("", {{"FAKE_CUDA_SHARED", directory / "device"}});
    for (const Json& one : report["metrics"]["steps"]) EXPECT_EQ(one["ending"], "done") << one;
    EXPECT_EQ(report["metrics"]["steps"].size(), 8U);
    for (int number = 1; number <= 2; ++number) expect_times_alone(number);
    expect_level(3, "not there", "no way to take a running kernel off");
    EXPECT_TRUE(has(report["hardware"].get<std::string>(), "Ascend310P3")) << report["hardware"];
}

TEST_F(DoctorAscend, APauseThatHolds) {
    try_ascend(kPauses, {});
    expect_note("a pause of the send queues held work in 3 of 3 pauses: the last command completed at most ");
    expect_note("; the result was right (fills and copies alone)");
    expect_level(2, "not tried", "\"job 2\" was not run");
}

TEST_F(DoctorAscend, APauseThatDoesNotHold) {
    try_pause("ignored");
    expect_note("held work in 0 of 3 pauses");
    expect_level(2, "do not use", "a pause of the send queues does not hold: in 3 of 3 pauses work went on");
}

TEST_F(DoctorAscend, APauseThatIsRefused) {
    try_pause("refused");
    expect_level(2, "do not use", "the driver refuses to pause the send queues (error 3)");
}

TEST_F(DoctorAscend, APauseThatLosesACopy) {
    try_pause("lost");
    expect_note("the result was wrong");
    expect_level(2, "do not use", "the result is wrong after pauses of the send queues");
}

TEST_F(DoctorAscend, ADriverWithoutTheCall) {
    try_ascend(kPauses, {}, FAKE_ASCEND_OLD);
    expect_level(2, "do not use", "the driver's library has no halSqCqConfig");
    try_ascend("device,stop 1,stop 2", {}, FAKE_ASCEND_OLD);
    expect_level(1, "not tried", "\"job 1\" was not run");
    EXPECT_EQ(step("stop 2")["ending"], "done");
}

}  // namespace
}  // namespace xsched::test
