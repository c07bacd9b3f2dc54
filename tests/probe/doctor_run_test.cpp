// xcli doctor --run as a whole: what it says of stand-ins that work, its report and its exit status.
#include <filesystem>

#include "probe/doctor_rig.h"

namespace xsched::test {
namespace {

TEST_F(DoctorRuns, EveryStepOfHip) {
    const std::string file = directory / "saved.json";
    try_hip("", {}, {"--save", file});
    for (const Json& one : report["metrics"]["steps"]) EXPECT_EQ(one["ending"], "done") << one;
    EXPECT_EQ(report["metrics"]["steps"].size(), 21U);
    for (const char* key : {"test_id", "test_name", "date", "hardware", "driver_version", "rocm_version",
                            "xsched_version", "status", "metrics", "notes"})
        EXPECT_TRUE(report.contains(key)) << key;
    EXPECT_EQ(report["test_id"], "doctor_hip");
    for (int number = 1; number <= 3; ++number) {
        expect_times_alone(number);
    }
    EXPECT_EQ(outcome.status, report["status"] == "PASS" ? 0 : 1);
    if (report["status"] == "PASS") {
        EXPECT_EQ(level(3)["environment"]["XSCHED_INTERRUPT"], "1");
    }
    EXPECT_FALSE(report["metrics"]["machine"]["kernel"].get<std::string>().empty());
    EXPECT_FALSE(report["metrics"]["machine"]["load_average"].get<std::string>().empty());
    EXPECT_EQ(report["metrics"]["machine"]["variables"]["XSCHED_HIP_LIB"], FAKE_HIP);
    std::ifstream saved(file);
    EXPECT_EQ(Json::parse(saved, nullptr, false), report);
}

TEST_F(DoctorRuns, EveryStepOfCuda) {
    try_cuda("", {});
    for (const Json& one : report["metrics"]["steps"]) EXPECT_EQ(one["ending"], "done") << one;
    EXPECT_EQ(report["metrics"]["steps"].size(), 15U);
    for (int number = 1; number <= 3; ++number) expect_times_alone(number);
}

// With --keep the measured costs are written to a file, which an xserver that starts later and xsim read.
TEST_F(DoctorRuns, CostsAreKeptForOthersIfAskedFor) {
    const Environment variables{{"XDG_STATE_HOME", directory / "state"}};
    const std::string file = directory / "state/xsched/device.json";
    try_cuda("device,gate,switch", variables);
    EXPECT_FALSE(std::filesystem::exists(file)) << "nobody asked for it";
    try_cuda("device,gate,switch", variables, {"--keep"});
    std::ifstream read(file);
    const Json kept = Json::parse(read, nullptr, false);
    ASSERT_TRUE(kept.is_object()) << outcome.err;
    for (const char* cost : {"switch_us", "gate_host_us", "gate_device_us", "launch_us"})
        EXPECT_TRUE(kept["device"][cost].is_number()) << cost << kept;
    EXPECT_FALSE(kept["name"].get<std::string>().empty());
}

TEST_F(DoctorRuns, NothingMeasuredIsNotKept) {
    const Outcome said = xcli({"doctor", "--run", "--platform", "cuda", "--steps", "routes", "--keep"},
                              {{"XDG_STATE_HOME", directory / "state"}, {"XSCHED_CUDA_LIB", FAKE_CUDA}});
    EXPECT_TRUE(has(said.err, "neither the step \"switch\"")) << said.err;
}

TEST_F(DoctorRuns, NoLevelAboveTheOneAskedFor) {
    try_hip("device,stop 1,stop 2,stop 3", {}, {"--level", "1"});
    EXPECT_EQ(report["metrics"]["steps"].size(), 2U);
}

TEST_F(DoctorRuns, WithoutARuntimeNothingIsTried) {
    try_hip("runtime,device", {{"FAKE_CUDA_FAIL", "hipGetDeviceCount:*:100"}});
    EXPECT_EQ(outcome.status, 2);
    expect_level(1, "do not use", "finds no device: error 100");
}

// If a step cannot be tried (there is no GPU, say), the reason is printed once and not for each step that needs it.
TEST_F(DoctorRuns, WhatCannotBeTriedIsSaidOnce) {
    const Outcome said =
        xcli({"doctor", "--run", "--platform", "hip"},
             {{"XSCHED_HIP_LIB", FAKE_HIP}, {"FAKE_CUDA_FAIL", "hipGetDeviceCount:*:100"}, {"COLUMNS", "200"}});
    EXPECT_EQ(said.status, 2) << said.err;
    const auto count_of = [&](const std::string& part) {
        size_t count = 0;
        for (size_t at = said.out.find(part); at != std::string::npos; at = said.out.find(part, at + 1)) ++count;
        return count;
    };
    EXPECT_EQ(count_of("the device runs no kernel"), 1U) << said.out;
    EXPECT_EQ(count_of("\nall levels: do not use, because the step \"device\" failed: the HIP runtime finds no device: "
                       "error 100 (hipErrorNoDevice)"),
              1U)
        << said.out;
    EXPECT_EQ(count_of("\nno device answered; the runtime is version 7.2\n"), 1U) << said.out;
}

TEST_F(DoctorRuns, TextForPeople) {
    const Outcome said = xcli({"doctor", "--run", "--platform", "hip", "--steps", "device", "--seconds", "0.5"},
                              {{"XSCHED_HIP_LIB", FAKE_HIP}});
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_TRUE(has(said.out, "all levels: not tried, because the step \"runtime\" was not run")) << said.out;
}

// Without --platform it takes one that has trials and, as far as files tell, a device.
TEST_F(DoctorRuns, ThePlatformIsOneThatCanBeTried) {
    if (access("/dev/nvidiactl", F_OK) == 0) GTEST_SKIP() << "a GPU is here, and is tried";
    const Outcome said =
        xcli({"doctor", "--run", "--steps", "device", "--seconds", "0.5", "--json"}, {{"XSCHED_HIP_LIB", FAKE_HIP}});
    EXPECT_EQ(Json::parse(said.out, nullptr, false).value("test_id", ""), "doctor_hip") << said.out << said.err;
}

TEST_F(DoctorRuns, WordsThatMeanNothing) {
    expect_sentence({"doctor", "--run", "--platform", "abacus"}, "--platform abacus is none");
    expect_sentence({"doctor", "--run", "--platform", "vulkan"}, "--platform vulkan has no trials: use one of");
    expect_sentence({"doctor", "--level", "2"}, "--run");
    expect_sentence({"doctor", "--run", "--platform", "hip", "--root", directory / "nowhere"}, "is not a folder");
}

}  // namespace
}  // namespace xsched::test
