// The priority that the driver gives queues and lists: the process's, where the program has set none.
#include "platform/levelzero/shim/program.h"

namespace xsched::test {
namespace {

int priority_of_new_list(const Program& program, ze_command_queue_priority_t wanted) {
    const ze_command_list_handle_t list = program.immediate(kFakeZeInOrder, wanted);
    const int given = fake_ze_last_priority();
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    return given;
}

TEST(Priority, IsLowInTheBackground) {
    const Program program;
    EXPECT_EQ(priority_of_new_list(program, ZE_COMMAND_QUEUE_PRIORITY_NORMAL), ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW);
    EXPECT_EQ(priority_of_new_list(program, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH),
              ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
    const ze_command_queue_handle_t queue = program.queue();
    EXPECT_EQ(fake_ze_last_priority(), ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW);
    EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

TEST(Priority, IsHighInAnUrgentProgram) {
    const Program program;
    EXPECT_EQ(priority_of_new_list(program, ZE_COMMAND_QUEUE_PRIORITY_NORMAL), ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH);
    EXPECT_EQ(priority_of_new_list(program, ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW),
              ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_LOW);
}

TEST(Priority, IsTheProgramsWhereTheDriverRefusesOurs) {
    const Program program;
    EXPECT_EQ(priority_of_new_list(program, ZE_COMMAND_QUEUE_PRIORITY_NORMAL), ZE_COMMAND_QUEUE_PRIORITY_NORMAL);
}

}  // namespace
}  // namespace xsched::test
