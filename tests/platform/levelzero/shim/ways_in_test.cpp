// Programs that are not linked to the loader: they ask it for functions by name, or, as the static loader does, for
// tables of functions.
#include <dlfcn.h>
#include <level_zero/ze_ddi.h>

#include <string>

#include "platform/levelzero/shim/program.h"

namespace xsched::test {
namespace {

void* loader() {
    static void* const library = dlopen("libze_loader.so.1", RTLD_NOW);
    return library;
}

template <typename Function>
Function function_named(const char* name) {
    return reinterpret_cast<Function>(dlsym(loader(), name));
}

using Copy = decltype(&zeCommandListAppendMemoryCopy);

// A copy on a suspended list, by whatever function, is held.
void expect_held(const Program& program, ze_command_list_handle_t list, Copy copy) {
    uint32_t from = 3, to = 0;
    EXPECT_EQ(copy(list, &to, &from, sizeof to, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
    const XQueueHandle queue = xqueue_of(list);
    suspend(queue);
    from = 4;
    EXPECT_EQ(copy(list, &to, &from, sizeof to, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListHostSynchronize(list, 30'000'000), ZE_RESULT_NOT_READY);
    resume(queue);
    EXPECT_EQ(zeCommandListHostSynchronize(list, kForever), ZE_RESULT_SUCCESS);
    EXPECT_EQ(to, 4u);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    EXPECT_NE(program.context, nullptr);
}

TEST(WaysIn, ByName) {
    const Program program;
    expect_held(program, program.immediate(), function_named<Copy>("zeCommandListAppendMemoryCopy"));
}

TEST(WaysIn, ANameThatTheShimLeavesIsTheLoaders) {
    EXPECT_EQ(function_named<void*>("zeMemAllocShared"), reinterpret_cast<void*>(&zeMemAllocShared));
    EXPECT_EQ(dlsym(loader(), "zeNoSuchFunction"), nullptr);
}

TEST(WaysIn, ByATable) {
    ze_command_list_dditable_t table{};
    const auto fill = function_named<ze_pfnGetCommandListProcAddrTable_t>("zeGetCommandListProcAddrTable");
    ASSERT_NE(fill, nullptr);
    EXPECT_EQ(fill(ZE_API_VERSION_1_4, &table), ZE_RESULT_SUCCESS);
    EXPECT_EQ(table.pfnAppendImageCopy, nullptr) << "the loader lacks it";
    EXPECT_EQ(table.pfnReset, &zeCommandListReset) << "the shim leaves it";
    const Program program;
    expect_held(program, program.immediate(), table.pfnAppendMemoryCopy);
}

// A program that knows an older version passes a shorter table: nothing beyond its end may be read or written.
TEST(WaysIn, AnOldTableIsNotOverrun) {
    union {
        void* words[sizeof(ze_command_list_dditable_t) / sizeof(void*)];
        ze_command_list_dditable_t table;
    } old{};
    old.table.pfnAppendImageCopyToMemoryExt = reinterpret_cast<ze_pfnCommandListAppendImageCopyToMemoryExt_t>(&old);
    const auto fill = function_named<ze_pfnGetCommandListProcAddrTable_t>("zeGetCommandListProcAddrTable");
    EXPECT_EQ(fill(ZE_API_VERSION_1_0, &old.table), ZE_RESULT_SUCCESS);
    EXPECT_EQ(reinterpret_cast<void*>(old.table.pfnAppendImageCopyToMemoryExt), static_cast<void*>(&old));
}

// The extension of an NPU's queues has our function in its table, whichever way the program comes.
TEST(WaysIn, TheTableOfDrivers) {
    ze_driver_dditable_t table{};
    const auto fill = function_named<ze_pfnGetDriverProcAddrTable_t>("zeGetDriverProcAddrTable");
    EXPECT_EQ(fill(ZE_API_VERSION_1_4, &table), ZE_RESULT_SUCCESS);
    ze_driver_handle_t driver = nullptr;
    uint32_t count = 1;
    EXPECT_EQ(table.pfnGet(&count, &driver), ZE_RESULT_SUCCESS);
    void* functions = nullptr;
    EXPECT_EQ(table.pfnGetExtensionFunctionAddress(driver, "ZE_extension_command_queue_npu", &functions),
              ZE_RESULT_SUCCESS);
    Dl_info info{};
    ASSERT_NE(dladdr(*static_cast<void**>(functions), &info), 0);
    EXPECT_NE(std::string(info.dli_fname).find("libshimlevelzero"), std::string::npos) << info.dli_fname;
}

// Each function of the tables is where Intel's header says. The stand-in fills in what it has.
TEST(WaysIn, TablesOfQueuesAndEvents) {
    ze_command_queue_dditable_t queue{};
    const auto fill_queue = function_named<ze_pfnGetCommandQueueProcAddrTable_t>("zeGetCommandQueueProcAddrTable");
    EXPECT_EQ(fill_queue(ZE_API_VERSION_1_4, &queue), ZE_RESULT_SUCCESS);
    ze_event_dditable_t event{};
    const auto fill_event = function_named<ze_pfnGetEventProcAddrTable_t>("zeGetEventProcAddrTable");
    EXPECT_EQ(fill_event(ZE_API_VERSION_1_4, &event), ZE_RESULT_SUCCESS);
    Program program;
    const ze_event_handle_t mine = program.event();
    EXPECT_EQ(event.pfnQueryStatus(mine), ZE_RESULT_NOT_READY);
    EXPECT_EQ(event.pfnHostSignal(mine), ZE_RESULT_SUCCESS);
    EXPECT_EQ(event.pfnHostSynchronize(mine, kForever), ZE_RESULT_SUCCESS);
    const ze_command_queue_handle_t made = program.queue();
    ze_command_list_handle_t list = program.closed(program.event());
    EXPECT_EQ(queue.pfnExecuteCommandLists(made, 1, &list, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(queue.pfnSynchronize(made, kForever), ZE_RESULT_SUCCESS);
    EXPECT_NE(xqueue_of(made), 0u);
    EXPECT_EQ(zeCommandListDestroy(list), ZE_RESULT_SUCCESS);
    EXPECT_EQ(queue.pfnDestroy(made), ZE_RESULT_SUCCESS);
}

}  // namespace
}  // namespace xsched::test
