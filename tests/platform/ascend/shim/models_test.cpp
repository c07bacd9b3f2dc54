// A kernel that is recorded, into a model or by a capture, is no command, and nothing of XSched's is recorded with it.
#include "platform/ascend/shim/program.h"

namespace xsched::test {
namespace {

// Gives two kernels to a stream that records for a model, and runs the model.
void record_and_run(Program& program, aclmdlRI model, AclStream recorded) {
    ACL_OK(program.append_below(recorded, 1));
    ACL_OK(program.append_below(recorded, 2));
    EXPECT_EQ(find_xqueue(recorded), 0u) << "it has no commands to schedule";
    EXPECT_EQ(program.word(), 0u);
    const AclStream stream = program.stream();
    ACL_OK(program.append(stream, 3));
    ACL_OK(rtModelExecute(model, stream, 0));
    ACL_OK(program.append(stream, 4));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(program.word(), appended({3, 1, 2, 4}));
    EXPECT_TRUE(is_idle(xqueue_of(stream)));
}

TEST(Models, HaveStreamsThatAreNotScheduled) {
    Program program;
    aclmdlRI model = nullptr;
    AclStream recorded = nullptr;
    ACL_OK(rtModelCreate(&model, 0));
    ACL_OK(aclrtCreateStreamWithConfig(&recorded, 0, ACL_STREAM_PERSISTENT));
    ACL_OK(rtModelBindStream(model, recorded, 0));
    record_and_run(program, model, recorded);
    ACL_OK(rtModelUnbindStream(model, recorded));
    ACL_OK(rtModelDestroy(model));
    ACL_OK(aclrtDestroyStream(recorded));
}

TEST(Models, TakeAStreamThatWasScheduledAndGiveItBack) {
    Program program;
    const AclStream stream = program.stream();
    ACL_OK(program.spin(stream, 1));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_NE(find_xqueue(stream), 0u);
    aclmdlRI model = nullptr;
    ACL_OK(rtModelCreate(&model, 0));
    ACL_OK(rtModelBindStream(model, stream, 0));
    record_and_run(program, model, stream);
    ACL_OK(rtModelUnbindStream(model, stream));
    ACL_OK(rtModelDestroy(model));
    ACL_OK(program.append(stream, 5));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(program.word(), appended({3, 1, 2, 4, 5}));
    EXPECT_TRUE(is_idle(xqueue_of(stream)));
}

TEST(Models, ACaptureContainsTheProgramsCommandsAlone) {
    Program program;
    const AclStream stream = program.stream_in_use();
    const XQueueHandle queue = xqueue_of(stream);
    const long events = fake_cuda_calls("cuEventRecord"), disturbed = fake_cuda_capture_disturbed();
    ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    suspend(queue);  // no matter: what is captured does not run
    for (uint32_t i = 2; i < 6; ++i) ACL_OK(program.append(stream, i));
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream, &graph));
    resume(queue);
    EXPECT_EQ(fake_cuda_calls("cuEventRecord"), events);
    EXPECT_EQ(fake_cuda_capture_disturbed(), disturbed);
    EXPECT_EQ(program.word(), appended({1}));
    for (int i = 0; i < 2; ++i) ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(program.word(), appended({1, 2, 3, 4, 5, 2, 3, 4, 5}));
    EXPECT_TRUE(is_idle(queue));
    ACL_OK(aclmdlRIDestroy(graph));
}

}  // namespace
}  // namespace xsched::test
