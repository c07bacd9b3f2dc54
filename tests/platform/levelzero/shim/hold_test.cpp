// A suspended list or queue keeps every kind of command back, and lets it go.
#include <atomic>
#include <chrono>
#include <span>
#include <thread>

#include "platform/levelzero/shim/program.h"

namespace xsched::test {
namespace {

using Holds = KeepsRules;

void expect_held_until_resumed(uint32_t flags) {
    {
        Program program;
        const ze_command_list_handle_t list = used_list(program, flags);
        const XQueueHandle queue = xqueue_of(list);
        EXPECT_TRUE(becomes_idle(queue));
        suspend(queue);
        const ze_event_handle_t with = program.event(), also = program.event();
        uint32_t from = 7, to = 0, filled = 0;
        EXPECT_EQ(zeCommandListAppendMemoryCopy(list, &to, &from, sizeof to, with, 0, nullptr), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeCommandListAppendMemoryFill(list, &filled, &from, 4, 4, nullptr, 1,
                                                const_cast<ze_event_handle_t*>(&with)),
                  ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeCommandListAppendBarrier(list, also, 0, nullptr), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeEventHostSynchronize(also, kShortNs), ZE_RESULT_NOT_READY);
        EXPECT_EQ(to, 0u);
        resume(queue);
        EXPECT_EQ(zeEventHostSynchronize(also, kForever), ZE_RESULT_SUCCESS);
        EXPECT_EQ(to, 7u);
        EXPECT_EQ(filled, 7u);
        EXPECT_TRUE(becomes_idle(queue));
        EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
        EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    }
}

void destroy(ze_command_queue_handle_t queue, std::span<const ze_command_list_handle_t> lists) {
    for (const ze_command_list_handle_t list : lists) EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

TEST_F(Holds, AnImmediateListThatKeepsOrder) { expect_held_until_resumed(kFakeZeInOrder); }

TEST_F(Holds, AnImmediateListThatKeepsNone) { expect_held_until_resumed(0); }

TEST_F(Holds, AQueueWithFence) {
    Program program;
    const ze_command_queue_handle_t queue = program.queue();
    ze_event_handle_t events[] = {program.event(), program.event(), program.event()};
    ze_command_list_handle_t lists[] = {program.closed(events[0]), program.closed(events[1]),
                                        program.closed(events[2])};
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, lists, nullptr), ZE_RESULT_SUCCESS);
    const XQueueHandle xqueue = xqueue_of(queue);
    EXPECT_TRUE(becomes_idle(xqueue));
    suspend(xqueue);
    ze_fence_desc_t desc{ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence = nullptr;
    EXPECT_EQ(zeFenceCreate(queue, &desc, &fence), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 2, lists + 1, fence), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeFenceHostSynchronize(fence, kShortNs), ZE_RESULT_NOT_READY);
    EXPECT_EQ(zeEventQueryStatus(events[1]), ZE_RESULT_NOT_READY);
    EXPECT_EQ(zeCommandQueueSynchronize(queue, kShortNs), ZE_RESULT_NOT_READY);
    resume(xqueue);
    EXPECT_EQ(zeCommandQueueSynchronize(queue, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeFenceQueryStatus(fence), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventQueryStatus(events[2]), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(becomes_idle(xqueue));
    EXPECT_EQ(zeFenceDestroy(fence), ZE_RESULT_SUCCESS);
    destroy(queue, lists);
}

TEST_F(Holds, ClosedListsOnAnImmediateList) {
    Program program;
    const ze_command_list_handle_t list = used_list(program, kFakeZeInOrder);
    const XQueueHandle queue = xqueue_of(list);
    suspend(queue);
    const ze_event_handle_t event = program.event();
    ze_command_list_handle_t closed = program.closed(event);
    EXPECT_EQ(zeCommandListImmediateAppendCommandListsExp(list, 1, &closed, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventHostSynchronize(event, kShortNs), ZE_RESULT_NOT_READY);
    resume(queue);
    EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_SUCCESS);
    for (const ze_command_list_handle_t it : {closed, list}) EXPECT_EQ(zeCommandListDestroy(it), ZE_RESULT_SUCCESS);
}

TEST_F(Holds, AnNpusCallerWaits) {
    Program program(1);
    const ze_command_queue_handle_t queue = program.queue();
    ze_event_handle_t events[] = {program.event(), program.event()};
    ze_command_list_handle_t lists[] = {program.closed(events[0]), program.closed(events[1])};
    EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, lists, nullptr), ZE_RESULT_SUCCESS);
    const XQueueHandle xqueue = xqueue_of(queue);
    EXPECT_TRUE(becomes_idle(xqueue));
    suspend(xqueue);
    const int64_t before = fake_ze_submitted();
    std::atomic<bool> returned{false};
    std::thread caller([&] {
        EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, lists + 1, nullptr), ZE_RESULT_SUCCESS);
        returned = true;
    });
    std::this_thread::sleep_for(std::chrono::nanoseconds(kShortNs));
    EXPECT_FALSE(returned);
    EXPECT_EQ(fake_ze_submitted(), before) << "the device has got work that it may not run";
    resume(xqueue);
    caller.join();
    EXPECT_EQ(zeEventHostSynchronize(events[1], kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandQueueSynchronize(queue, kForever), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(becomes_idle(xqueue));
    destroy(queue, lists);
}

TEST_F(Holds, ARefusedCommandIsNoneOfTheQueues) {
    Program program;
    const ze_command_list_handle_t list = used_list(program, kFakeZeInOrder);
    const XQueueHandle queue = xqueue_of(list);
    uint32_t from = 1, to = 0;
    EXPECT_EQ(zeCommandListAppendMemoryCopy(list, &to, &from, sizeof to, nullptr, 1, nullptr),
              ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_TRUE(becomes_idle(queue));
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

TEST_F(Holds, NothingOfOursIsRecordedIntoAGraph) {
    Program program;
    const ze_command_list_handle_t list = used_list(program, kFakeZeInOrder);
    const XQueueHandle queue = xqueue_of(list);
    EXPECT_EQ(zeCommandListBeginGraphCaptureExt(list, nullptr), ZE_RESULT_SUCCESS);
    suspend(queue);
    uint32_t from = 1, to = 0;
    EXPECT_EQ(zeCommandListAppendMemoryCopy(list, &to, &from, sizeof to, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(becomes_idle(queue)) << "what is recorded counts as work";
    resume(queue);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

TEST_F(Holds, AContextTakesItsQueuesWithIt) {
    const Program program;
    const ze_command_list_handle_t list = used_list(program, kFakeZeInOrder);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    HwQueueHandle hwq = 0;
    EXPECT_EQ(ZeListGet(&hwq, list), kXSchedErrorNotFound);
}

TEST(NoEvents, CommandsRunAndEnd) {
    const Program program;
    const ze_command_list_handle_t list = used_list(program, kFakeZeInOrder);
    const XQueueHandle queue = xqueue_of(list);
    suspend(queue);
    uint32_t from = 5, to = 0;
    EXPECT_EQ(zeCommandListAppendMemoryCopy(list, &to, &from, sizeof to, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(to, 5u);
    resume(queue);
    EXPECT_TRUE(becomes_idle(queue));
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
