// Programs that wait for each other's events on the device: a program that a more urgent one waits for, directly or
// through a third one, is as urgent until then. Without the limits that would end an inversion after a second or two.
#include "system/cuda_rig.h"

namespace xsched::test {
namespace {

class CudaSharedEvent : public CudaProcesses {
protected:
    void SetUp() override { start({"--starvation-limit-ms", "0", "--claim-limit-ms", "0"}); }

    // Launches its batch and makes room for a more urgent program. Returns once its event is recorded.
    std::unique_ptr<CudaProgram> start_link(const std::string& name, int priority, const CudaProgram* after) {
        Environment more{{"CUDA_PROGRAM_SHARES", "1"}};
        if (after != nullptr) more["CUDA_PROGRAM_AFTER"] = after->board();
        auto program = start_program(name, priority, more);
        program->work();
        EXPECT_TRUE(records(*program)) << program->process().err();
        return program;
    }
    // Starts a program of middle priority that always has work.
    void start_busy() {
        busy = start_program("busy", 5);
        busy->work();
        ASSERT_TRUE(busy->advances()) << busy->process().err();
    }
    // Starts a program that records its own shared event and then waits for that of `other`.
    std::unique_ptr<CudaProgram> meeting(const std::string& name, const std::string& other) {
        return start_program(name, 0,
                             {{"CUDA_PROGRAM_SHARES", "1"}, {"CUDA_PROGRAM_MEETS", directory.path() + "/" + other}});
    }
    static bool records(const CudaProgram& program) {
        return eventually([&] { return program.recorded() > 0; });
    }

    std::unique_ptr<CudaProgram> busy;
};

TEST_F(CudaSharedEvent, AChainOfProcessesIsAsUrgentAsItsEnd) {
    ASSERT_NO_FATAL_FAILURE(start_busy());
    const auto last = start_link("last", 0, nullptr);
    ASSERT_TRUE(is_kept_off(*last, *busy)) << "with a batch that is launched";
    last->rest();
    const auto middle = start_link("middle", 0, last.get());
    middle->rest();

    const auto first = start_link("first", 10, middle.get());
    first->rest();
    // The device has done the others' batches before, but each program counts its own.
    for (CudaProgram* program : {first.get(), middle.get(), last.get()})
        EXPECT_TRUE(eventually([&] { return program->done() > 0; })) << program->process().err();
    EXPECT_TRUE(busy->advances()) << "it goes on";
    for (CudaProgram* program : {busy.get(), first.get(), middle.get(), last.get()})
        EXPECT_EQ(program->end(), 0) << program->process().err();
}

TEST_F(CudaSharedEvent, AfterwardsItIsAsBefore) {
    ASSERT_NO_FATAL_FAILURE(start_busy());
    const auto last = start_link("last", 0, nullptr);
    const auto first = start_link("first", 10, last.get());
    first->rest();
    EXPECT_TRUE(eventually([&] { return first->done() > 0; })) << first->process().err();
    // `last` continues with batches that no program waits for.
    EXPECT_TRUE(is_kept_off(*last, *busy));
    busy->rest();
    EXPECT_TRUE(last->advances()) << last->process().err();
    for (CudaProgram* program : {busy.get(), first.get(), last.get()})
        EXPECT_EQ(program->end(), 0) << program->process().err();
}

// Each waits behind its own record for the other's: no deadlock, but while it lasts each is as urgent as the other.
TEST_F(CudaSharedEvent, ACircleIsReportedOnce) {
    ASSERT_NO_FATAL_FAILURE(start_busy());
    const std::string words = "wait for each other's shared events";
    const auto told = [&] { return server->process().err().find(words); };
    // Tries several times: on a loaded machine one of the two programs may be through before the other one begins to
    // wait for it.
    std::unique_ptr<CudaProgram> one, two;
    for (int again = 0; again < 10 && told() == std::string::npos; ++again) {
        const std::string first = "one" + std::to_string(again), second = "two" + std::to_string(again);
        for (CudaProgram* before : {one.get(), two.get()}) {
            const int status = before != nullptr ? before->end() : 0;
            EXPECT_EQ(status, 0) << before->process().err();
        }
        one = meeting(first, second);
        two = meeting(second, first);
        for (CudaProgram* program : {one.get(), two.get()}) {
            program->work();
            ASSERT_TRUE(records(*program)) << program->process().err();
            program->rest();
        }
        EXPECT_TRUE(eventually([&] { return told() != std::string::npos || (one->done() > 0 && two->done() > 0); }))
            << server->process().err();
    }
    EXPECT_NE(told(), std::string::npos) << server->process().err();
    busy->rest();
    EXPECT_TRUE(eventually([&] { return one->done() > 0 && two->done() > 0; })) << one->process().err();
    const std::string log = server->process().err();
    EXPECT_EQ(log.find(words, told() + 1), std::string::npos) << "once alone: " << log;
    for (CudaProgram* program : {busy.get(), one.get(), two.get()})
        EXPECT_EQ(program->end(), 0) << program->process().err();
}

}  // namespace
}  // namespace xsched::test
