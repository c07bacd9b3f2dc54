// A program of higher priority keeps its next commands with the driver, behind a wait that it ends later. No other
// program is kept off the device for these meanwhile.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

constexpr uint64_t kLeast = 20;  // commands of the victim in a frame of the urgent program: natively there are hundreds

// Demands that the urgent program completes `frames` frames, and its victim at least `least` commands in each of them.
void expect_both_to_run(const CudaProgram& urgent, const CudaProgram& victim, uint64_t frames, uint64_t least) {
    ASSERT_TRUE(eventually([&] { return urgent.done() > 0; }));
    const uint64_t before[] = {victim.done(), urgent.done()};
    EXPECT_TRUE(eventually([&] {
        return urgent.done() >= before[1] + frames && victim.done() >= before[0] + least * frames;
    })) << victim.done() - before[0]
        << " commands of the victim, " << urgent.done() - before[1] << " of the urgent program";
}

class CudaStanding : public CudaProcesses, public testing::WithParamInterface<const char*> {
protected:
    // Starts a server without turns for starving programs, which would let the victim run now and then.
    void SetUp() override { start({"--starvation-limit-ms", "0", "--claim-limit-ms", "0"}); }

    Json program_of(pid_t pid) {
        const Json answer = answer_of_server(socket(), {{"cmd", "programs"}});
        for (const Json& program : answer.value("programs", Json::array()))
            if (program.value("pid", 0) == pid) return program;
        return Json::object();
    }
};
INSTANTIATE_TEST_SUITE_P(Forms, CudaStanding, testing::Values("value", "batch", "function"),
                         [](const auto& form) { return std::string(form.param); });

TEST_P(CudaStanding, TheOtherProgramRunsMeanwhile) {
    const auto victim = start_program("victim", 0);
    victim->work();
    ASSERT_TRUE(victim->advances()) << victim->process().err();
    const auto urgent = start_program("urgent", 10, {{"CUDA_PROGRAM_AHEAD", GetParam()}, {"CUDA_PROGRAM_BATCH", "1"}});
    urgent->work();
    expect_both_to_run(*urgent, *victim, 40, kLeast);
    EXPECT_TRUE(eventually([&] { return program_of(urgent->pid()).value("waits_for_host", false); }))
        << program_of(urgent->pid()).dump(2);
    EXPECT_EQ(victim->end(), 0) << victim->process().err();
    EXPECT_EQ(urgent->end(), 0) << urgent->process().err();
}

// A victim's queue stands at a wait when it is suspended. Once the wait is over, its next commands must not run
// before its turn, and must run then.
TEST_P(CudaStanding, ItsOwnCommandsMakeRoomOnceTheirWaitIsOver) {
    const auto victim = start_program("victim", 0, {{"CUDA_PROGRAM_AHEAD", GetParam()}});
    victim->work();
    ASSERT_TRUE(eventually([&] { return victim->done() > 0; })) << victim->process().err();
    const auto urgent = start_program("urgent", 10);
    urgent->work();
    ASSERT_TRUE(urgent->advances()) << urgent->process().err();
    EXPECT_TRUE(becomes_suspended(victim->pid(), true));
    const uint64_t before = urgent->done();
    EXPECT_TRUE(eventually([&] { return urgent->done() >= before + 400; }));
    urgent->rest();
    EXPECT_TRUE(victim->advances()) << victim->process().err();
    EXPECT_EQ(victim->end(), 0) << victim->process().err();
    EXPECT_EQ(urgent->end(), 0) << urgent->process().err();
}

class CudaStandingTogether : public CudaProcesses {
protected:
    void SetUp() override { start({"--starvation-limit-ms", "0", "--claim-limit-ms", "0"}); }
};

// An urgent program waits for the event of another one, which waits for its host.
TEST_F(CudaStandingTogether, TheThirdProgramRunsMeanwhile) {
    const auto producer = start_program(
        "producer", 0, {{"CUDA_PROGRAM_SHARES", "1"}, {"CUDA_PROGRAM_AHEAD", "value"}, {"CUDA_PROGRAM_BATCH", "1"}});
    producer->work();
    ASSERT_TRUE(eventually([&] { return producer->recorded() > 0; })) << producer->process().err();
    const auto victim = start_program("victim", 0);
    victim->work();
    ASSERT_TRUE(victim->advances()) << victim->process().err();
    const auto urgent =
        start_program("urgent", 10, {{"CUDA_PROGRAM_AFTER", producer->board()}, {"CUDA_PROGRAM_BATCH", "1"}});
    urgent->work();
    expect_both_to_run(*urgent, *victim, 20, kLeast);
    for (CudaProgram* program : {victim.get(), urgent.get(), producer.get()})
        EXPECT_EQ(program->end(), 0) << program->process().err();
}

}  // namespace
}  // namespace xsched::test
