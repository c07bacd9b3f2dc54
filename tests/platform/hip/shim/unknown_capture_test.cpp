// Captures that begin, or end, by functions that the table does not know, and what is said of such functions.
#include <unistd.h>

#include "platform/hip/shim/program.h"

namespace xsched::test {
namespace {

template <typename Function>
Function future(const char* name) {
    void* function = nullptr;
    int status = 0;
    EXPECT_EQ(hip().hipGetProcAddress(name, &function, 99000, 0, &status), hipSuccess) << name;
    return reinterpret_cast<Function>(function);
}

class UnknownCapture : public HipTestWithStream {
public:  // for what CUDA's tests share
    using HipTest::append;
    using HipTest::begin_thread;
    using HipTest::commands_of;
    using HipTest::kSuccess;
    using HipTestWithStream::stream_;

protected:
    using Begin = hipError_t (*)(hipStream_t, int, void*);
    using End = hipError_t (*)(hipStream_t, hipGraph_t*, void*);
    static inline const hipStream_t kThreadsOwn = kPerThread;

    static void begin_unknown(hipStream_t stream) {
        ASSERT_EQ(future<Begin>("hipStreamBeginFutureCapture")(stream, kRelaxed, nullptr), hipSuccess);
    }
    static void begin_known(hipStream_t stream) {
        ASSERT_EQ(hip().hipStreamBeginCapture(stream, kRelaxed), hipSuccess);
    }
    void end_known(hipStream_t stream) { ASSERT_EQ(hip().hipStreamEndCapture(stream, &graph_), hipSuccess); }
    void end_unknown(hipStream_t stream) {
        ASSERT_EQ(future<End>("hipStreamEndFutureCapture")(stream, &graph_, nullptr), hipSuccess);
    }
    // Returns how many nodes the graph has, and destroys it.
    size_t nodes() {
        size_t count = 0;
        EXPECT_EQ(hip().hipGraphGetNodes(graph_, nullptr, &count), hipSuccess);
        EXPECT_EQ(hip().hipGraphDestroy(graph_), hipSuccess);
        return count;
    }

    static constexpr int kRelaxed = 2;  // hipStreamCaptureModeRelaxed
    hipGraph_t graph_ = nullptr;
};

#include "platform/stream/shim/unknown_capture_tests.h"

// The call is made in a process of its own, since a process logs only the first such function.
class UnknownFunction : public HipTest {
protected:
    using Ask = void* (*)(const char* name);

    static void* by_the_runtime(const char* name) { return future<void*>(name); }
    static void* by_dlsym(const char* name) { return dlsym(stand_in(), name); }
    static void expect_told(Ask ask) {
        GTEST_FLAG_SET(death_test_style, "threadsafe");
        const testing::ExitedWithCode well(0);
        const auto asks = [ask](const char* name) { _exit(ask(name) != nullptr ? 0 : 1); };
        EXPECT_EXIT(asks("hipFutureCopyAsync"), well, "has asked the driver for hipFutureCopyAsync, which");
        EXPECT_EXIT(asks("hipFutureThing"), well, "^$");
        EXPECT_EXIT(asks("hipMemcpyAsync"), well, "^$");
    }
};

TEST_F(UnknownFunction, IsHandedOn) {
    const auto thing = future<hipError_t (*)(int*)>("hipFutureThing");
    ASSERT_NE(thing, nullptr);
    int answer = 0;
    EXPECT_EQ(thing(&answer), hipSuccess);
    EXPECT_EQ(answer, 4711);
}

TEST_F(UnknownFunction, ThatLooksLikeWorkIsTold) { expect_told(by_the_runtime); }

TEST_F(UnknownFunction, ThatIsAskedOfTheRuntimesHandleIsTold) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's runtime needs dlsym for itself";
#endif
    expect_told(by_dlsym);
}

}  // namespace
}  // namespace xsched::test
