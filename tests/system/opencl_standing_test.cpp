// A program of higher priority keeps its next commands with the driver, behind a user event that it sets later. No
// other program is kept off the device for these meanwhile. On whatever OpenCL device there is (PoCL).
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

class OpenclStanding : public CudaProcesses, public testing::WithParamInterface<const char*> {
protected:
    // Starts a server without turns for starving programs, which would let the victim run now and then.
    void SetUp() override { start({"--starvation-limit-ms", "0"}); }
};
INSTANTIATE_TEST_SUITE_P(Forms, OpenclStanding, testing::Values("list", "barrier"),
                         [](const auto& form) { return std::string(form.param); });

TEST_P(OpenclStanding, TheOtherProgramRunsMeanwhile) {
    constexpr uint64_t kCommands = 100;  // of each, and more than any one pause lets by
    const auto victim = start_program("victim", 0);
    victim->work();
    ASSERT_TRUE(victim->advances()) << victim->process().err();
    const auto urgent = start_program("urgent", 10, {{"CL_PROGRAM_AHEAD", GetParam()}});
    urgent->work();
    ASSERT_TRUE(urgent->advances()) << urgent->process().err();
    const uint64_t before[] = {victim->done(), urgent->done()};
    EXPECT_TRUE(eventually([&] {
        return victim->done() >= before[0] + kCommands && urgent->done() >= before[1] + kCommands;
    })) << victim->done() - before[0]
        << " commands of the victim, " << urgent->done() - before[1] << " of the urgent program";
    EXPECT_EQ(victim->end(), 0) << victim->process().err();
    EXPECT_EQ(urgent->end(), 0) << urgent->process().err();
}

}  // namespace
}  // namespace xsched::test
