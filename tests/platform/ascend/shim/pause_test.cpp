// Level 2 by a pause of all of the process's send queues, which XSCHED_ASCEND_PAUSE=1 asks for.
#include <unistd.h>

#include <cstdlib>

#include "platform/ascend/shim/program.h"

namespace xsched::test {
namespace {

constexpr uint32_t kLongUs = 20'000;

TEST(Pause, StopsWhatIsInFlightWhileAllStreamsAreSuspended) {
    Program program;
    const AclStream one = program.stream(), two = program.stream();
    for (const AclStream stream : {one, two}) ACL_OK(program.spin(stream, kLongUs));
    for (const AclStream stream : {one, two}) ACL_OK(program.append(stream, 1));
    const XQueueHandle queues[] = {xqueue_of(one), xqueue_of(two)};
    suspend(queues[0]);
    EXPECT_FALSE(fake_acl_halted()) << "the other stream may go on";
    suspend(queues[1]);
    EXPECT_TRUE(eventually([] { return fake_acl_halted(); }));
    const long kernels = fake_cuda_kernels();
    let_time_pass();
    let_time_pass();
    EXPECT_EQ(fake_cuda_kernels(), kernels);
    resume(queues[0]);
    EXPECT_TRUE(eventually([] { return !fake_acl_halted(); }));
    resume(queues[1]);
    for (const AclStream stream : {one, two}) ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(program.word(), appended({1, 1}));
}

TEST(Pause, EndsWithTheStreams) {
    {
        Program program;
        const AclStream stream = program.stream_in_use();
        suspend(xqueue_of(stream));
        EXPECT_TRUE(eventually([] { return fake_acl_halted(); }));
        ACL_OK(aclrtDestroyStreamForce(stream));
        EXPECT_TRUE(eventually([] { return !fake_acl_halted(); }));
        program.forget(stream);
    }
    EXPECT_FALSE(fake_acl_halted());
}

// The driver would wait for its paused queues at the end of the process. Handlers run in the reverse order.
[[noreturn]] void exit_while_suspended() {
    std::atexit([] { _exit(fake_acl_pauses() == 1 && !fake_acl_halted() ? 0 : 1); });
    Program program;
    const AclStream stream = program.stream_in_use();
    suspend(xqueue_of(stream));
    EXPECT_TRUE(eventually([] { return fake_acl_halted(); }));
    std::exit(2);
}

TEST(ExitWhilePaused, ResumesFirst) { EXPECT_EXIT(exit_while_suspended(), testing::ExitedWithCode(0), ""); }

TEST(NoPause, LeavesLevel1) {
    Program program;
    const AclStream stream = program.stream();
    ACL_OK(program.spin(stream, kLongUs));
    const XQueueHandle queue = xqueue_of(stream);
    suspend(queue);
    ACL_OK(aclrtSynchronizeStream(stream)) << "what is in flight runs to its end";
    EXPECT_EQ(fake_acl_pauses(), 0);
    resume(queue);
}

}  // namespace
}  // namespace xsched::test
