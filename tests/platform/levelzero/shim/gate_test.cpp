// Preempt level 2: a closed gate stops commands that the driver has got and not begun.
#include <atomic>
#include <chrono>
#include <thread>

#include "platform/levelzero/shim/program.h"

namespace xsched::test {
namespace {

using Gates = KeepsRules;

bool has_level_2(XQueueHandle queue) { return XQueueSetPreemptLevel(queue, kPreemptLevelDeactivate) == kXSchedSuccess; }

// Two commands that the driver has got: the first waits for the host, the second one for it. The queue is suspended
// before the host lets the first one go.
void expect_the_second_is_stopped(uint32_t flags) {
    Program program;
    const ze_command_list_handle_t list = used_list(program, flags);
    const XQueueHandle queue = xqueue_of(list);
    const int64_t before = fake_ze_executed();
    ze_event_handle_t host = program.event(), first = program.event();
    const ze_event_handle_t second = program.event();
    uint32_t from = 7, to = 0;
    EXPECT_EQ(zeCommandListAppendMemoryFill(list, &to, &from, 4, 4, first, 1, &host), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(eventually([&] { return fake_ze_executed() > before; })) << "the first one's gate is not passed";
    from = 8;
    EXPECT_EQ(zeCommandListAppendMemoryFill(list, &to, &from, 4, 4, second, 1, &first), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(has_level_2(queue));
    suspend(queue);
    EXPECT_EQ(zeEventHostSignal(host), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventHostSynchronize(first, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventHostSynchronize(second, kShortNs), ZE_RESULT_NOT_READY);
    EXPECT_EQ(to, 7u);
    resume(queue);
    EXPECT_EQ(zeEventHostSynchronize(second, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(to, 8u);
    EXPECT_TRUE(becomes_idle(queue));
    EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

TEST_F(Gates, StopAnImmediateListThatKeepsOrder) { expect_the_second_is_stopped(kFakeZeInOrder); }

TEST_F(Gates, StopAnImmediateListThatKeepsNone) { expect_the_second_is_stopped(0); }

TEST_F(Gates, StopAQueue) {
    Program program;
    const ze_command_queue_handle_t queue = program.queue();
    ze_event_handle_t host = program.event();
    const ze_event_handle_t second = program.event();
    ze_command_list_desc_t desc{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t lists[] = {nullptr, program.closed(second)};
    EXPECT_EQ(zeCommandListCreate(program.context, program.device(), &desc, lists), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListAppendWaitOnEvents(lists[0], 1, &host), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListClose(lists[0]), ZE_RESULT_SUCCESS);
    for (ze_command_list_handle_t& list : lists)
        EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr), ZE_RESULT_SUCCESS);
    const XQueueHandle xqueue = xqueue_of(queue);
    EXPECT_TRUE(has_level_2(xqueue));
    suspend(xqueue);
    EXPECT_EQ(zeEventHostSignal(host), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventHostSynchronize(second, kShortNs), ZE_RESULT_NOT_READY);
    resume(xqueue);
    EXPECT_EQ(zeCommandQueueSynchronize(queue, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventQueryStatus(second), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(becomes_idle(xqueue));
    for (const ze_command_list_handle_t list : lists) EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

// Lists that come while the queue is suspended have a hold and the gate.
TEST_F(Gates, AndHoldsTogether) {
    Program program;
    const ze_command_queue_handle_t queue = program.queue();
    const ze_event_handle_t events[] = {program.event(), program.event()};
    ze_command_list_handle_t lists[] = {program.closed(events[0]), program.closed(events[1])};
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, lists, nullptr), ZE_RESULT_SUCCESS);
    const XQueueHandle xqueue = xqueue_of(queue);
    EXPECT_TRUE(becomes_idle(xqueue));
    suspend(xqueue);
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, lists + 1, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventHostSynchronize(events[1], kShortNs), ZE_RESULT_NOT_READY);
    resume(xqueue);
    EXPECT_EQ(zeCommandQueueSynchronize(queue, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventQueryStatus(events[1]), ZE_RESULT_SUCCESS);
    for (const ze_command_list_handle_t list : lists) EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

TEST_F(Gates, DoNotOutliveAListThatIsDestroyedWhileSuspended) {
    Program program;
    const ze_command_list_handle_t list = used_list(program, kFakeZeInOrder);
    suspend(xqueue_of(list));
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

TEST_F(Gates, AListThatRunsEachCommandAtOnce) {
    Program program;
    const ze_command_list_handle_t list = program.synchronous();
    uint32_t from = 1, to = 0;
    EXPECT_EQ(zeCommandListAppendMemoryCopy(list, &to, &from, sizeof to, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(to, 1u);
    const XQueueHandle queue = xqueue_of(list);
    suspend(queue);
    std::atomic<bool> returned{false};
    from = 2;
    std::thread caller([&] {
        EXPECT_EQ(zeCommandListAppendMemoryCopy(list, &to, &from, sizeof to, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
        returned = true;
    });
    std::this_thread::sleep_for(std::chrono::nanoseconds(kShortNs));
    EXPECT_FALSE(returned);
    resume(queue);
    caller.join();
    EXPECT_EQ(to, 2u);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

TEST_F(Gates, AreNotForAnNpu) {
    Program program(1);
    const ze_command_queue_handle_t queue = program.queue();
    ze_command_list_handle_t list = program.closed(program.event());
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(has_level_2(xqueue_of(queue)));
    EXPECT_EQ(zeCommandQueueSynchronize(queue, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

// The driver lacks the wait, or the trial of it fails: level 1, and commands run. Each in a process of its own.
TEST(NoGates, CommandsRunAtLevel1) {
    const Program program;
    const ze_command_list_handle_t list = program.immediate();
    uint32_t from = 5, to = 0;
    EXPECT_EQ(zeCommandListAppendMemoryFill(list, &to, &from, 4, 4, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(has_level_2(xqueue_of(list)));
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(fake_ze_misuses(), 0);
}

}  // namespace
}  // namespace xsched::test
