// Functions that a program asks for by name: ours where there is one, for the form that was asked for; everything else
// of the driver untouched, also what this version has never heard of.
#include <unistd.h>

#include "platform/cuda/shim/program.h"
#include "platform/stream/shim/names.h"

namespace xsched::test {
namespace {

class ProcAddress : public CudaTest {
protected:
    template <typename Function = void*>
    static Function ask(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
        void* function = nullptr;
        CUdriverProcAddressQueryResult status{};
        EXPECT_EQ(cu().cuGetProcAddress_v2(name, &function, version, flags, &status), CUDA_SUCCESS) << name;
        return reinterpret_cast<Function>(function);
    }
    static void* ask_driver(const char* name, int version, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
        void* function = nullptr;
        CUdriverProcAddressQueryResult status{};
        fake_cu().cuGetProcAddress_v2(name, &function, version, flags, &status);
        return function;
    }
};

TEST_F(ProcAddress, LaunchesThroughAFunctionAskedForAreScheduled) {
    const auto launch = ask<decltype(&cuLaunchKernel)>("cuLaunchKernel", 12000);
    ASSERT_NE(launch, nullptr);
    EXPECT_NE(reinterpret_cast<void*>(launch), ask_driver("cuLaunchKernel", 12000));
    const XQueueHandle xqueue = used_xqueue_of(nullptr);
    expect_launch_scheduled(xqueue, launch);
}

TEST_F(ProcAddress, ThePerThreadFlagSelectsTheThreadsOwnStream) {
    const auto launch =
        ask<decltype(&cuLaunchKernel)>("cuLaunchKernel", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    ASSERT_NE(launch, nullptr);
    const XQueueHandle xqueue = used_xqueue_of(CU_STREAM_PER_THREAD);
    expect_launch_scheduled(xqueue, launch);
}

TEST_F(ProcAddress, TheOldFormIsOursToo) {
    void* function = nullptr;
    ASSERT_EQ(cu().cuGetProcAddress("cuLaunchKernel", &function, 12000, 0), CUDA_SUCCESS);
    EXPECT_NE(function, ask_driver("cuLaunchKernel", 12000));
    EXPECT_EQ(function, ask("cuLaunchKernel", 12000));
}

TEST_F(ProcAddress, EvenTheFunctionThatIsAskedIsOurs) {
    EXPECT_NE(ask("cuGetProcAddress", 12000), ask_driver("cuGetProcAddress", 12000));
}

TEST_F(ProcAddress, ForwardedFunctionsAreTheDriversOwn) {
    EXPECT_EQ(ask("cuDeviceGetCount", 12000), ask_driver("cuDeviceGetCount", 12000));
}

TEST_F(ProcAddress, AFunctionThatWeDoNotKnowIsHandedOn) {
    const auto future = ask<CUresult (*)(int*)>("cuFutureThing", 99000);
    ASSERT_NE(future, nullptr);
    int answer = 0;
    EXPECT_EQ(future(&answer), CUDA_SUCCESS);
    EXPECT_EQ(answer, 4711);
}

// The unknown function is asked for in a child process, since a process logs only the first such function.
TEST_F(ProcAddress, AFunctionThatWeDoNotKnowAndLooksLikeWorkIsTold) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto asks = [](const char* name) {
        ask(name, 99000);
        _exit(0);
    };
    const testing::ExitedWithCode well(0);
    EXPECT_EXIT(asks("cuFutureCopyAsync"), well, "has asked the driver for cuFutureCopyAsync, which");
    EXPECT_EXIT(asks("cuFutureThing"), well, "^$");
    EXPECT_EXIT(asks("cuMemcpyWithAttributesAsync"), well, "^$");
}

TEST_F(ProcAddress, AChangedFunctionOfAKnownNameIsNotGuessed) {
    EXPECT_EQ(ask("cuMemsetD8Async", 99000), ask_driver("cuMemsetD8Async", 99000));
    EXPECT_NE(ask("cuMemsetD8Async", 12000), ask_driver("cuMemsetD8Async", 12000));
}

TEST_F(ProcAddress, WhatTheDriverDoesNotFindIsNotFound) {
    void* function = &function;
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    const CUresult code = cu().cuGetProcAddress_v2("cuNoSuchThing", &function, 12000, 0, &status);
    void* expected = &function;
    CUdriverProcAddressQueryResult expected_status = CU_GET_PROC_ADDRESS_SUCCESS;
    EXPECT_EQ(code, fake_cu().cuGetProcAddress_v2("cuNoSuchThing", &expected, 12000, 0, &expected_status));
    EXPECT_EQ(function, expected);
    EXPECT_EQ(status, expected_status);
}

TEST_F(ProcAddress, ByDlsymAProgramFindsTheNamesThatTheDriverHas) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's runtime needs dlsym for itself";
#endif
    EXPECT_GT(expect_names_of(fake_library(), opened_driver(), "cu"), 0) << "the fake driver has all names";
    expect_names_of(fake_library(), RTLD_DEFAULT, "cu");
}

// A program that was linked to functions of a newer driver binds them at their first call, so they must be found by
// the global symbol lookup.
TEST_F(ProcAddress, NewSymbolsAreInTheGlobalScopeOnceTheDriverIsOpen) {
    EXPECT_NE(dlsym(RTLD_DEFAULT, "cuFutureThing"), nullptr);
    EXPECT_EQ(dlsym(RTLD_DEFAULT, "cuLaunchKernel"), dlsym(opened_driver(), "cuLaunchKernel"));
}

TEST_F(ProcAddress, TheDriversPrivateTablesPassThrough) {
    const void* table = nullptr;
    const CUuuid id{};
    ASSERT_EQ(cu().cuGetExportTable(&table, &id), CUDA_SUCCESS);
    const auto* entries = static_cast<void* const*>(table);
    EXPECT_EQ(reinterpret_cast<size_t (*)(size_t)>(entries[1])(1), 0x5eedu + 1);
}

}  // namespace
}  // namespace xsched::test
