// Large copies go to the driver in pieces while a more urgent program may need room, and only then; contents, order,
// errors and captures are as without.
#include <algorithm>
#include <cstring>
#include <vector>

#include "platform/cuda/shim/program.h"

namespace xsched::test {
namespace {

constexpr size_t kBytes = size_t{24} << 20;

bool asked_for() { return std::getenv("XSCHED_COPY_PIECE") != nullptr; }

class CopiesInPieces : public CudaTest {
protected:
    void SetUp() override {
        if (!asked_for()) GTEST_SKIP() << "copies are whole unless XSCHED_COPY_PIECE says otherwise";
        CudaTest::SetUp();
        stream_ = new_stream();
        xqueue_ = used_xqueue_of(stream_);
        null_ = used_xqueue_of(nullptr);
        ASSERT_EQ(cu().cuMemAlloc_v2(&memory_, kBytes), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuMemAlloc_v2(&other_, kBytes), CUDA_SUCCESS);
        ASSERT_EQ(cu().cuMemHostAlloc(reinterpret_cast<void**>(&pinned_), kBytes, 0), CUDA_SUCCESS);
        for (size_t i = 0; i < kBytes; ++i) pinned_[i] = static_cast<unsigned char>(i * 7 + (i >> 12));
        std::memcpy(pageable_.data(), pinned_, kBytes);
    }
    void TearDown() override {
        if (!asked_for()) return;
        EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuMemFree_v2(memory_), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuMemFree_v2(other_), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuMemFreeHost(pinned_), CUDA_SUCCESS);
        EXPECT_EQ(cu().cuStreamDestroy_v2(stream_), CUDA_SUCCESS);
        CudaTest::TearDown();
    }
    // Tells the queue that it may be suspended at any time from now on.
    static void compete(XQueueHandle queue) {
        ASSERT_EQ(XQueueSuspend(queue, kQueueSuspendFlagNone), kXSchedSuccess);
        ASSERT_EQ(XQueueResume(queue, kQueueResumeFlagNone), kXSchedSuccess);
    }
    // Returns how many calls of the driver's function one call of the program makes.
    static long calls_in(const char* function, const std::function<CUresult()>& call,
                         CUresult expected = CUDA_SUCCESS) {
        const long before = fake_calls(function);
        EXPECT_EQ(call(), expected) << function;
        return fake_calls(function) - before;
    }
    void expect_in(CUdeviceptr memory) {
        std::vector<unsigned char> found(kBytes);
        ASSERT_EQ(fake_cu().cuMemcpyDtoH_v2(found.data(), memory, kBytes), CUDA_SUCCESS);
        EXPECT_TRUE(std::memcmp(found.data(), pageable_.data(), kBytes) == 0);
    }

    CUstream stream_ = nullptr;
    XQueueHandle xqueue_ = 0;
    XQueueHandle null_ = 0;
    CUdeviceptr memory_ = 0;
    CUdeviceptr other_ = 0;
    unsigned char* pinned_ = nullptr;
    std::vector<unsigned char> pageable_ = std::vector<unsigned char>(kBytes);
};

TEST_F(CopiesInPieces, AreWholeWhileNobodyCompetes) {
    EXPECT_EQ(
        calls_in("cuMemcpyHtoDAsync_v2", [&] { return cu().cuMemcpyHtoDAsync_v2(memory_, pinned_, kBytes, stream_); }),
        1);
    EXPECT_EQ(calls_in("cuMemcpyHtoD_v2", [&] { return cu().cuMemcpyHtoD_v2(memory_, pinned_, kBytes); }), 1);
}

TEST_F(CopiesInPieces, GoSoWhileSomebodyCompetes) {
    compete(xqueue_);
    const long before = fake_calls("cuStreamWaitValue32_v2");
    EXPECT_EQ(
        calls_in("cuMemcpyHtoDAsync_v2", [&] { return cu().cuMemcpyHtoDAsync_v2(memory_, pinned_, kBytes, stream_); }),
        6);
    if (gates()) {
        EXPECT_GE(fake_calls("cuStreamWaitValue32_v2") - before, 6) << "a gate before each";
    }
    EXPECT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    expect_in(memory_);
}

// For copies in every form of the driver's calls: that the contents are right, and how many driver calls a copy is
// split into.
TEST_F(CopiesInPieces, InEveryForm) {
    compete(xqueue_);
    compete(null_);
    const auto& c = cu();
    const auto address = [](const void* host) { return reinterpret_cast<CUdeviceptr>(host); };
    const auto expect_pieces = [&](const char* piece, long at_least, const std::function<CUresult()>& call) {
        SCOPED_TRACE(piece);
        ASSERT_EQ(fake_cu().cuMemsetD8_v2(memory_, 0, kBytes), CUDA_SUCCESS);
        ASSERT_EQ(fake_cu().cuCtxSynchronize(), CUDA_SUCCESS);  // the stream does not wait for it
        EXPECT_GE(calls_in(piece, call), at_least);
        ASSERT_EQ(c.cuCtxSynchronize(), CUDA_SUCCESS);
        expect_in(memory_);
    };
    expect_pieces("cuMemcpyHtoDAsync_v2", 6, [&] { return c.cuMemcpyHtoDAsync_v2(memory_, pinned_, kBytes, stream_); });
    expect_pieces("cuMemcpyHtoDAsync_v2", 3,
                  [&] { return c.cuMemcpyHtoDAsync_v2(memory_, pageable_.data(), kBytes, stream_); });
    expect_pieces("cuMemcpyAsync", 6, [&] { return c.cuMemcpyAsync(memory_, address(pinned_), kBytes, stream_); });
    expect_pieces("cuMemcpyWithAttributesAsync", 6,
                  [&] { return c.cuMemcpyWithAttributesAsync(memory_, address(pinned_), kBytes, nullptr, stream_); });
    expect_pieces("cuMemcpyHtoDAsync_v2", 5, [&] { return c.cuMemcpyHtoD_v2(memory_, pinned_, kBytes); });
    expect_pieces("cuMemcpyHtoDAsync_v2", 2, [&] { return c.cuMemcpyHtoD_v2(memory_, pageable_.data(), kBytes); });
    expect_pieces("cuMemcpyAsync", 5, [&] { return c.cuMemcpy(memory_, address(pinned_), kBytes); });
    CUDA_MEMCPY2D rows{};
    rows.srcMemoryType = CU_MEMORYTYPE_HOST;
    rows.srcHost = pinned_;
    rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.dstDevice = memory_;
    rows.srcPitch = rows.dstPitch = rows.WidthInBytes = kBytes / 1024;
    rows.Height = 1024;
    expect_pieces("cuMemcpy2DAsync_v2", 6, [&] { return c.cuMemcpy2DAsync_v2(&rows, stream_); });
    expect_pieces("cuMemcpy2DAsync_v2", 5, [&] { return c.cuMemcpy2D_v2(&rows); });
    EXPECT_EQ(rows.Height, 1024u) << "the program's own";
    // Back to the host.
    const auto expect_back = [&](const char* piece, long at_least, unsigned char* to, bool waits,
                                 const std::function<CUresult()>& call) {
        SCOPED_TRACE(piece);
        std::memset(to, 0, kBytes);
        EXPECT_GE(calls_in(piece, call), at_least);
        if (!waits) {
            ASSERT_EQ(c.cuStreamSynchronize(stream_), CUDA_SUCCESS);
        }
        std::vector<unsigned char> right(kBytes);
        ASSERT_EQ(fake_cu().cuMemcpyDtoH_v2(right.data(), memory_, kBytes), CUDA_SUCCESS);
        EXPECT_TRUE(std::memcmp(right.data(), to, kBytes) == 0);
    };
    std::vector<unsigned char> found(kBytes);
    expect_back("cuMemcpyDtoHAsync_v2", 6, pinned_, false,
                [&] { return c.cuMemcpyDtoHAsync_v2(pinned_, memory_, kBytes, stream_); });
    expect_back("cuMemcpyDtoHAsync_v2", 3, found.data(), true,
                [&] { return c.cuMemcpyDtoHAsync_v2(found.data(), memory_, kBytes, stream_); });
    expect_back("cuMemcpyDtoHAsync_v2", 5, pinned_, true, [&] { return c.cuMemcpyDtoH_v2(pinned_, memory_, kBytes); });
    expect_back("cuMemcpyDtoHAsync_v2", 2, found.data(), true,
                [&] { return c.cuMemcpyDtoH_v2(found.data(), memory_, kBytes); });
}

TEST_F(CopiesInPieces, BatchesByEntry) {
    using Batch = CUresult (*)(CUdeviceptr*, CUdeviceptr*, size_t*, size_t, void*, size_t*, size_t, CUstream);
    const auto batch = reinterpret_cast<Batch>(dlsym(opened_driver(), "cuMemcpyBatchAsync_v2"));
    ASSERT_NE(batch, nullptr);
    compete(xqueue_);
    constexpr size_t kEntries = 8;
    // The batch has one entry of 10 MiB and seven of 2 MiB.
    CUdeviceptr to[kEntries], from[kEntries];
    size_t bytes[kEntries], at = 0, first = 0;
    char attributes[64] = {};
    for (size_t i = 0; i < kEntries; ++i) {
        bytes[i] = size_t{i == 3 ? 10U : 2U} << 20;
        to[i] = memory_ + at;
        from[i] = reinterpret_cast<CUdeviceptr>(pinned_) + at;
        at += bytes[i];
    }
    ASSERT_EQ(at, kBytes);
    EXPECT_EQ(calls_in("cuMemcpyBatchAsync_v2",
                       [&] { return batch(to, from, bytes, kEntries, attributes, &first, 1, stream_); }),
              7);
    ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    expect_in(memory_);
    to[5] = memory_ + kBytes - 1;
    EXPECT_EQ(
        calls_in(
            "cuMemcpyBatchAsync_v2", [&] { return batch(to, from, bytes, kEntries, attributes, &first, 1, stream_); },
            CUDA_ERROR_INVALID_VALUE),
        1)
        << "refused as a whole";
}

// A copy that the driver refuses is refused as a whole, with its error, and nothing of it is copied.
TEST_F(CopiesInPieces, NotWhereTheDriverRefuses) {
    compete(xqueue_);
    compete(null_);
    const auto& c = cu();
    ASSERT_EQ(fake_cu().cuMemsetD8_v2(memory_, 0, kBytes), CUDA_SUCCESS);
    const auto refused = [&](const char* name, const std::function<CUresult()>& call) {
        EXPECT_EQ(calls_in(name, call, CUDA_ERROR_INVALID_VALUE), 1);
    };
    refused("cuMemcpyHtoDAsync_v2", [&] { return c.cuMemcpyHtoDAsync_v2(memory_ + 4096, pinned_, kBytes, stream_); });
    refused("cuMemcpyHtoDAsync_v2", [&] { return c.cuMemcpyHtoDAsync_v2(memory_, pinned_ + 1, kBytes, stream_); });
    refused("cuMemcpyHtoD_v2", [&] { return c.cuMemcpyHtoD_v2(memory_ + 1, pageable_.data(), kBytes); });
    refused("cuMemcpyDtoDAsync_v2", [&] { return c.cuMemcpyDtoDAsync_v2(memory_, other_ + 1, kBytes, stream_); });
    refused("cuMemcpyHtoDAsync_v2", [&] { return c.cuMemcpyHtoDAsync_v2(0, pinned_, kBytes, stream_); });
    ASSERT_EQ(c.cuCtxSynchronize(), CUDA_SUCCESS);
    std::vector<unsigned char> found(kBytes);
    ASSERT_EQ(fake_cu().cuMemcpyDtoH_v2(found.data(), memory_, kBytes), CUDA_SUCCESS);
    EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](unsigned char byte) { return byte == 0; }));
}

TEST_F(CopiesInPieces, NotWithinOverlappingOrManagedMemory) {
    compete(xqueue_);
    const auto& c = cu();
    EXPECT_EQ(
        calls_in("cuMemcpyHtoDAsync_v2", [&] { return c.cuMemcpyHtoDAsync_v2(memory_, pinned_, kBytes, stream_); }), 6);
    EXPECT_EQ(calls_in("cuMemcpyAsync",
                       [&] {
                           return c.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(pinned_),
                                                  reinterpret_cast<CUdeviceptr>(pinned_) + 64, kBytes - 64, stream_);
                       }),
              1);
    CUdeviceptr managed = 0;
    ASSERT_EQ(c.cuMemAllocManaged(&managed, kBytes, 1), CUDA_SUCCESS);
    EXPECT_EQ(
        calls_in("cuMemcpyHtoDAsync_v2", [&] { return c.cuMemcpyHtoDAsync_v2(managed, pinned_, kBytes, stream_); }), 1);
    ASSERT_EQ(c.cuStreamSynchronize(stream_), CUDA_SUCCESS);
    EXPECT_EQ(c.cuMemFree_v2(managed), CUDA_SUCCESS);
}

TEST_F(CopiesInPieces, ACaptureHasOneNode) {
    compete(xqueue_);
    const auto& c = cu();
    CUgraph graph = nullptr;
    size_t nodes = 0;
    ASSERT_EQ(c.cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
    EXPECT_EQ(
        calls_in("cuMemcpyHtoDAsync_v2", [&] { return c.cuMemcpyHtoDAsync_v2(memory_, pinned_, kBytes, stream_); }), 1);
    ASSERT_EQ(c.cuStreamEndCapture(stream_, &graph), CUDA_SUCCESS);
    ASSERT_EQ(c.cuGraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
    EXPECT_EQ(nodes, 1u);
    EXPECT_EQ(c.cuGraphDestroy(graph), CUDA_SUCCESS);
    EXPECT_GE(
        calls_in("cuMemcpyHtoDAsync_v2", [&] { return c.cuMemcpyHtoDAsync_v2(memory_, pinned_, kBytes, stream_); }), 6)
        << "behind it as before";
}

// A copy is one command: what another thread puts into the stream sees all of it or nothing.
TEST_F(CopiesInPieces, NothingOfOthersComesIntoTheMiddle) {
    compete(xqueue_);
    constexpr int kCopies = 60;
    ASSERT_EQ(cu().cuMemsetD8_v2(memory_, 0, kBytes), CUDA_SUCCESS);
    ASSERT_EQ(cu().cuCtxSynchronize(), CUDA_SUCCESS);
    std::atomic<bool> over{false};
    std::atomic<int> looks{0}, torn{0};
    std::thread other([&] {
        begin_thread();
        uint32_t* seen = nullptr;
        ASSERT_EQ(cu().cuMemHostAlloc(reinterpret_cast<void**>(&seen), 8, 0), CUDA_SUCCESS);
        CUDA_MEMCPY2D ends{};  // the first and the last word
        ends.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        ends.srcDevice = memory_;
        ends.srcPitch = kBytes - 4;
        ends.dstMemoryType = CU_MEMORYTYPE_HOST;
        ends.dstHost = seen;
        ends.dstPitch = ends.WidthInBytes = 4;
        ends.Height = 2;
        while (!over) {
            ASSERT_EQ(cu().cuMemcpy2DAsync_v2(&ends, stream_), CUDA_SUCCESS);
            ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
            ++looks;
            if (seen[0] != seen[1]) ++torn;
        }
        EXPECT_EQ(cu().cuMemFreeHost(seen), CUDA_SUCCESS);
    });
    for (int i = 0; i < kCopies; ++i) {
        ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
        std::memset(pinned_, i, kBytes);
        ASSERT_EQ(cu().cuMemcpyHtoDAsync_v2(memory_, pinned_, kBytes, stream_), CUDA_SUCCESS);
    }
    ASSERT_EQ(cu().cuStreamSynchronize(stream_), CUDA_SUCCESS);
    over = true;
    other.join();
    EXPECT_GT(looks, 0);
    EXPECT_EQ(torn, 0);
}

// A copy in the middle of which the queue is suspended goes on when it is resumed, also one that its caller waits for.
TEST_F(CopiesInPieces, ASuspensionInTheMiddle) {
    compete(null_);
    std::atomic<int> copied{0};
    std::thread program([&] {
        begin_thread();
        for (int i = 0; i < 20; ++i) {
            std::memset(pageable_.data(), i, kBytes);
            ASSERT_EQ(cu().cuMemcpyHtoD_v2(memory_, pageable_.data(), kBytes), CUDA_SUCCESS);
            ASSERT_EQ(cu().cuMemcpyDtoH_v2(pinned_, memory_, kBytes), CUDA_SUCCESS);
            ASSERT_EQ(std::memcmp(pinned_, pageable_.data(), kBytes), 0);
            ++copied;
        }
    });
    while (copied < 20) {
        ASSERT_EQ(XQueueSuspend(null_, kQueueSuspendFlagNone), kXSchedSuccess);
        std::this_thread::sleep_for(std::chrono::microseconds(300));
        ASSERT_EQ(XQueueResume(null_, kQueueResumeFlagNone), kXSchedSuccess);
        std::this_thread::sleep_for(std::chrono::microseconds(700));
    }
    program.join();
}

// Drivers may hold a context's lock while a call waits for its copy. So a call that would wait for one does not stand
// in the driver behind a gate of ours: the program's other threads get on, whatever the suspended one copies.
TEST_F(CopiesInPieces, WhoWaitsForOneKeepsNoLockMeanwhile) {
    const auto& c = cu();
    const std::function<CUresult()> copies[] = {
        [&] { return c.cuMemcpyHtoD_v2(memory_, pageable_.data(), kBytes); },
        [&] { return c.cuMemcpyHtoD_v2(memory_, pinned_, kBytes); },
        [&] { return c.cuMemcpyDtoH_v2(pinned_, memory_, kBytes); },
        [&] { return c.cuMemcpyDtoH_v2(pageable_.data(), memory_, kBytes); },
        [&] { return c.cuMemcpyHtoDAsync_v2(memory_, pageable_.data(), kBytes, nullptr); },
        [&] { return c.cuMemcpyDtoHAsync_v2(pageable_.data(), memory_, kBytes, nullptr); },
    };
    compete(null_);
    setenv("FAKE_CUDA_COPY_LOCK", "1", 1);
    fake_control<decltype(&fake_cuda_reload)>("fake_cuda_reload")();
    for (size_t i = 0; i < std::size(copies); ++i) {
        SCOPED_TRACE(i);
        ASSERT_EQ(XQueueSuspend(null_, kQueueSuspendFlagNone), kXSchedSuccess);
        std::atomic<bool> copied{false}, worked{false};
        std::thread copier([&] {
            begin_thread();
            EXPECT_EQ(copies[i](), CUDA_SUCCESS);
            copied = true;
        });
        let_time_pass();
        std::thread other([&] {
            begin_thread();
            EXPECT_EQ(append(stream_, 1), CUDA_SUCCESS);
            EXPECT_EQ(c.cuStreamSynchronize(stream_), CUDA_SUCCESS);
            worked = true;
        });
        EXPECT_TRUE(eventually([&] { return worked.load(); })) << "it waits for a lock";
        EXPECT_FALSE(copied);
        ASSERT_EQ(XQueueResume(null_, kQueueResumeFlagNone), kXSchedSuccess);
        copier.join();
        other.join();
    }
    unsetenv("FAKE_CUDA_COPY_LOCK");
    fake_control<decltype(&fake_cuda_reload)>("fake_cuda_reload")();
}

}  // namespace
}  // namespace xsched::test
