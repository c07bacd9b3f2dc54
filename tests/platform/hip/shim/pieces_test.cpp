// Copies of rows and batches of copies in pieces, while another program competes and the user asks for it
// (XSCHED_COPY_PIECE): contents are as without, and the runtime gets several calls. Plain copies: the order checker.
#include <cstring>
#include <vector>

#include "platform/hip/shim/program.h"

namespace xsched::test {
namespace {

constexpr size_t kBytes = size_t{24} << 20;
constexpr size_t kRows = 1024;

class HipPieces : public HipTest {
protected:
    void SetUp() override {
        if (std::getenv("XSCHED_COPY_PIECE") == nullptr)
            GTEST_SKIP() << "copies are whole unless XSCHED_COPY_PIECE says otherwise";
        HipTest::SetUp();
        stream_ = new_stream();
        for (const hipStream_t stream : {stream_, hipStream_t{}}) {
            ASSERT_EQ(noop(stream), hipSuccess);
            const XQueueHandle xqueue = xqueue_of(stream);
            suspend(xqueue);  // from here on it may be suspended at any time
            resume(xqueue);
        }
        ASSERT_EQ(hip().hipMalloc(reinterpret_cast<void**>(&memory_), kBytes), hipSuccess);
        ASSERT_EQ(hip().hipHostMalloc(reinterpret_cast<void**>(&pinned_), kBytes, 0), hipSuccess);
        for (size_t i = 0; i < kBytes; ++i) right_[i] = static_cast<unsigned char>(i * 7 + (i >> 12));
        std::memcpy(pinned_, right_.data(), kBytes);
    }
    void TearDown() override {
        if (IsSkipped()) return;
        EXPECT_EQ(hip().hipDeviceSynchronize(), hipSuccess);
        EXPECT_EQ(hip().hipFree(memory_), hipSuccess);
        EXPECT_EQ(hip().hipHostFree(pinned_), hipSuccess);
        EXPECT_EQ(hip().hipStreamDestroy(stream_), hipSuccess);
        HipTest::TearDown();
    }
    // Returns how often the stand-in's engine was called.
    static long calls(const char* function) {
        return reinterpret_cast<long (*)(const char*)>(dlsym(stand_in(), "fake_cuda_calls"))(function);
    }
    bool arrived() {
        std::vector<unsigned char> found(kBytes);
        EXPECT_EQ(hip().hipStreamSynchronize(stream_), hipSuccess);
        EXPECT_EQ(hip().hipMemcpy(found.data(), memory_, kBytes, hipMemcpyDeviceToHost), hipSuccess);
        return found == right_;
    }
    void clear() {
        EXPECT_EQ(hip().hipMemset(memory_, 0, kBytes), hipSuccess);
        EXPECT_EQ(hip().hipDeviceSynchronize(), hipSuccess);
    }

    static constexpr size_t kWidth = kBytes / kRows;
    static constexpr auto kToDevice = static_cast<hipMemcpyKind>(1);
    hipStream_t stream_ = nullptr;
    unsigned char* memory_ = nullptr;
    unsigned char* pinned_ = nullptr;
    std::vector<unsigned char> right_ = std::vector<unsigned char>(kBytes);
};

TEST_F(HipPieces, RowsByRows) {
    clear();
    long before = calls("cuMemcpy2DAsync_v2");
    ASSERT_EQ(hip().hipMemcpy2DAsync(memory_, kWidth, pinned_, kWidth, kWidth, kRows, kToDevice, stream_), hipSuccess);
    EXPECT_GE(calls("cuMemcpy2DAsync_v2") - before, 6);
    EXPECT_TRUE(arrived());
    clear();
    before = calls("cuMemcpy2DAsync_v2");
    ASSERT_EQ(hip().hipMemcpy2D(memory_, kWidth, pinned_, kWidth, kWidth, kRows, kToDevice), hipSuccess);
    EXPECT_GE(calls("cuMemcpy2DAsync_v2") - before, 6);
    EXPECT_TRUE(arrived());
}

// Back to the host: all of it is there when the call returns.
TEST_F(HipPieces, RowsThatAreWaitedFor) {
    ASSERT_EQ(hip().hipMemcpy(memory_, pinned_, kBytes, kToDevice), hipSuccess);
    std::memset(pinned_, 0, kBytes);
    ASSERT_EQ(hip().hipMemcpy2D(pinned_, kWidth, memory_, kWidth, kWidth, kRows, hipMemcpyDeviceToHost), hipSuccess);
    EXPECT_EQ(std::memcmp(pinned_, right_.data(), kBytes), 0);
}

// Between the rows nothing is touched.
TEST_F(HipPieces, RowsWithGaps) {
    constexpr size_t kPart = kWidth / 2;
    clear();
    const long before = calls("cuMemcpy2DAsync_v2");
    ASSERT_EQ(hip().hipMemcpy2DAsync(memory_, kWidth, pinned_, kWidth, kPart, kRows, kToDevice, stream_), hipSuccess);
    EXPECT_GE(calls("cuMemcpy2DAsync_v2") - before, 3);
    for (size_t i = 0; i < kBytes; ++i)
        if (i % kWidth >= kPart) right_[i] = 0;
    EXPECT_TRUE(arrived());
}

TEST_F(HipPieces, BatchesByEntry) {
    constexpr size_t kEntries = 8;
    void *to[kEntries], *from[kEntries];
    size_t bytes[kEntries], at = 0, first = 0, failed = 0;
    char attributes[64] = {};
    for (size_t i = 0; i < kEntries; ++i) {  // one of 10 MiB, seven of 2 MiB
        bytes[i] = size_t{i == 3 ? 10U : 2U} << 20;
        to[i] = memory_ + at;
        from[i] = pinned_ + at;
        at += bytes[i];
    }
    ASSERT_EQ(at, kBytes);
    clear();
    const long before = calls("cuMemcpyAsync");
    ASSERT_EQ(hip().hipMemcpyBatchAsync(to, from, bytes, kEntries, attributes, &first, 1, &failed, stream_),
              hipSuccess);
    EXPECT_EQ(calls("cuMemcpyAsync") - before, 10) << "the large entry in three pieces";
    EXPECT_TRUE(arrived());
    bytes[5] = 12345;  // the stand-in refuses that
    EXPECT_EQ(hip().hipMemcpyBatchAsync(to, from, bytes, kEntries, attributes, &first, 1, &failed, stream_),
              hipErrorInvalidValue);
    EXPECT_EQ(failed, 5U) << "counted in the whole batch";
}

TEST_F(HipPieces, RangesThatOverlapAndSingleRowsGoWhole) {
    constexpr auto kOnDevice = static_cast<hipMemcpyKind>(3);
    long before = calls("cuMemcpy2DAsync_v2");
    EXPECT_EQ(hip().hipMemcpy2DAsync(memory_ + kWidth, kWidth, memory_, kWidth, kWidth, kRows / 2, kOnDevice, stream_),
              hipSuccess);
    EXPECT_EQ(calls("cuMemcpy2DAsync_v2") - before, 1);
    before = calls("cuMemcpy2DAsync_v2");
    EXPECT_EQ(hip().hipMemcpy2DAsync(memory_, kBytes, pinned_, kBytes, kBytes, 1, kToDevice, stream_), hipSuccess);
    EXPECT_EQ(calls("cuMemcpy2DAsync_v2") - before, 1);
}

}  // namespace
}  // namespace xsched::test
