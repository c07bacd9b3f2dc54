// How the runtime's functions are reached, and what of us the program can see: nothing.
#include <cstring>

#include "platform/hip/shim/program.h"
#include "platform/stream/shim/names.h"

// References to functions of hiprtc, as in a program that is linked to it.
extern "C" [[gnu::weak]] int hiprtcVersion(int* major, int* minor);
extern "C" [[gnu::weak]] const char* hiprtcGetErrorString(int code);

namespace xsched::test {
namespace {

class Runtime : public HipTest {};

// A program may open the runtime by its path and look up the launch function in that handle, as Triton does. The
// launch must be scheduled all the same.
TEST_F(Runtime, AFunctionAskedOfTheRuntimesHandleIsScheduled) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's runtime needs dlsym for itself";
#endif
    const auto launch = reinterpret_cast<declared::hipModuleLaunchKernel>(dlsym(stand_in(), "hipModuleLaunchKernel"));
    expect_launch_scheduled(used_xqueue_of(nullptr), launch);
}

TEST_F(Runtime, OtherNamesAreLookedUpAsEver) {
    EXPECT_EQ(dlsym(stand_in(), "hipNoSuchFunction"), nullptr);
    EXPECT_NE(dlerror(), nullptr);
    EXPECT_EQ(reinterpret_cast<decltype(&::strlen)>(dlsym(RTLD_DEFAULT, "strlen"))("four"), 4u);
    EXPECT_NE(dlsym(RTLD_NEXT, "fopen"), nullptr);
}

TEST_F(Runtime, FunctionsAskedByNameAreScheduled) {
    const XQueueHandle null = used_xqueue_of(nullptr), own = used_xqueue_of(kPerThread);
    void* memory = nullptr;
    ASSERT_EQ(hip().hipMalloc(&memory, 16), hipSuccess);
    const auto expect_command = [&](XQueueHandle xqueue, void* address) {
        const int64_t before = commands_of(xqueue);
        ASSERT_NE(address, nullptr);
        EXPECT_EQ(reinterpret_cast<declared::hipMemsetAsync>(address)(memory, 1, 16, nullptr), hipSuccess);
        EXPECT_EQ(commands_of(xqueue), before + 1);
    };
    void* address = nullptr;
    int status = -1;
    ASSERT_EQ(hip().hipGetProcAddress("hipMemsetAsync", &address, 602, 0, &status), hipSuccess);
    expect_command(null, address);
    ASSERT_EQ(hip().hipGetProcAddress("hipMemsetAsync", &address, 602, hipEnablePerThreadDefaultStream, &status),
              hipSuccess);
    expect_command(own, address);
    if (hip().hipGetProcAddress_spt != nullptr) {  // neither 6.4.3 nor 7.2.4 of AMD's own exports it
        ASSERT_EQ(hip().hipGetProcAddress_spt("hipMemsetAsync", &address, 602, 0, &status), hipSuccess);
        expect_command(own, address);
    }
    if (hip().hipGetDriverEntryPoint != nullptr) {  // from 7.1 on
        ASSERT_EQ(hip().hipGetDriverEntryPoint("hipMemsetAsync", &address, 0, &status), hipSuccess);
        expect_command(null, address);
    }
    EXPECT_NE(hip().hipGetProcAddress("hipNoSuchFunction", &address, 602, 0, &status), hipSuccess);
    EXPECT_EQ(hip().hipFree(memory), hipSuccess);
    hip().hipGetLastError();
}

TEST_F(Runtime, ByDlsymAProgramFindsTheNamesThatTheRuntimeHas) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's runtime needs dlsym for itself";
#endif
    EXPECT_GT(expect_names_of(stand_in(), RTLD_DEFAULT, "hip"), 0) << "the stand-in has all names";
    expect_names_of(stand_in(), RTLD_NEXT, "hip");  // the shim is the next library after the program
    expect_names_of(stand_in(), dlopen(nullptr, RTLD_NOW), "hip");
}

// As on ROCm 7, where libhiprtc alone has hiprtc. It is loaded late here, and visible only to the code that opened it.
TEST_F(Runtime, AFunctionThatTheRuntimeLacksIsAnotherLibrarys) {
    const auto version = &hiprtcVersion;
    const auto text = &hiprtcGetErrorString;
    ASSERT_NE(version, nullptr) << "the dynamic linker bound it to the shim's";
    ASSERT_NE(text, nullptr);
    int count = 0;
    ASSERT_EQ(hip().hipGetDeviceCount(&count), hipSuccess) << "every entry point has been looked up";
    ASSERT_NE(dlopen(FAKE_HIPRTC, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
    int major = 0, minor = 0;
    EXPECT_EQ(version(&major, &minor), 0);
    EXPECT_EQ(major, 7);
    EXPECT_STREQ(text(0), "of libhiprtc's stand-in");
}

// Suspending and resuming make XSched's own runtime calls, some of which fail. The program must not see these
// failures in hipGetLastError.
TEST_F(Runtime, OurOwnCallsDoNotShowInTheLastError) {
    const hipStream_t stream = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(stream);
    hip().hipGetLastError();
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
        ASSERT_EQ(XQueueResume(xqueue, kQueueResumeFlagNone), kXSchedSuccess);
        EXPECT_EQ(noop(stream), hipSuccess);
        EXPECT_EQ(hip().hipPeekAtLastError(), hipSuccess);
    }
    EXPECT_NE(hip().hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr), hipSuccess);
    state_of(xqueue);
    HwQueueHandle hwq = 0;
    HipQueueGet(&hwq, stream);
    EXPECT_NE(hip().hipPeekAtLastError(), hipSuccess) << "the program's own error stays";
    EXPECT_NE(hip().hipGetLastError(), hipSuccess);
    EXPECT_EQ(hip().hipGetLastError(), hipSuccess);
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Runtime, ACaptureElsewhereIsLeftAlone) {
    const long disturbed = fake_count("fake_cuda_capture_disturbed");
    const hipStream_t captured = new_stream(), other = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(other);
    hipGraph_t graph = nullptr;
    ASSERT_EQ(hip().hipStreamBeginCapture(captured, 0), hipSuccess);
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(append(captured, 1), hipSuccess);
        ASSERT_EQ(XQueueSuspend(xqueue, kQueueSuspendFlagNone), kXSchedSuccess);
        if (gates()) {
            ASSERT_EQ(noop(other), hipSuccess);
        }
        ASSERT_EQ(XQueueResume(xqueue, kQueueResumeFlagNone), kXSchedSuccess);
        state_of(xqueue);
    }
    ASSERT_EQ(hip().hipStreamEndCapture(captured, &graph), hipSuccess);
    size_t nodes = 0;
    EXPECT_EQ(hip().hipGraphGetNodes(graph, nullptr, &nodes), hipSuccess);
    EXPECT_EQ(nodes, 5u);
    EXPECT_EQ(hip().hipGraphDestroy(graph), hipSuccess);
    EXPECT_EQ(hip().hipStreamDestroy(captured), hipSuccess);
    EXPECT_EQ(hip().hipStreamDestroy(other), hipSuccess);
    EXPECT_EQ(fake_count("fake_cuda_capture_disturbed"), disturbed);
}

// Each driver call that the shim makes fails in turn. The program must get the error, and its queues must go on
// working.
TEST_F(Runtime, AnErrorOfAnyCallIsTheProgramsAndEndsNothing) {
    const auto reload = reinterpret_cast<void (*)()>(dlsym(stand_in(), "fake_cuda_reload"));
    const hipStream_t stream = new_stream();
    const XQueueHandle xqueue = used_xqueue_of(stream);
    for (const char* name : {"hipModuleLaunchKernel", "hipStreamSynchronize", "hipStreamWaitValue32", "hipEventRecord",
                             "hipStreamWriteValue32", "hipStreamIsCapturing", "hipGetDevice", "hipSetDevice",
                             "hipHostRegister", "hipStreamGetPriority", "hipEventQuery"}) {
        setenv("FAKE_CUDA_FAIL", (std::string(name) + ":*:999").c_str(), 1);
        reload();
        noop(stream);
        XQueueSuspend(xqueue, kQueueSuspendFlagNone);
        XQueueResume(xqueue, kQueueResumeFlagNone);
        const hipStream_t fresh = new_stream();
        noop(fresh);
        hip().hipStreamDestroy(fresh);
        unsetenv("FAKE_CUDA_FAIL");
        reload();
        const uint32_t before = word();
        EXPECT_EQ(append(stream, 1), hipSuccess) << name;
        EXPECT_EQ(hip().hipStreamSynchronize(stream), hipSuccess) << name;
        EXPECT_EQ(word(), before * 31 + 1) << name;
    }
    hip().hipGetLastError();
    EXPECT_EQ(hip().hipStreamDestroy(stream), hipSuccess);
}

}  // namespace
}  // namespace xsched::test
