#include "queue/path/copy_rates.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace xsched::queue {
namespace {

constexpr uint64_t kMiB = 1024 * 1024;
constexpr int64_t kMs = base::kMillisecond;

CopyRates begun(int64_t piece = 0) {
    CopyRates rates;
    rates.begin(piece);
    return rates;
}

// `count` pieces from command `first` on.
void launch(CopyRates& rates, uint64_t first, uint64_t count, XqCopyKind kind = kXqToDevice,
            uint64_t bytes = 4 * kMiB) {
    for (uint64_t i = 0; i < count; ++i) rates.launched(first + i, {kind, bytes});
}

TEST(CopyRates, ACopyIsDividedEvenly) {
    const CopyRates rates = begun();
    EXPECT_EQ(rates.piece(kXqToDevice, 4 * kMiB), 0u);
    EXPECT_EQ(rates.piece(kXqToDevice, 6 * kMiB), 0u) << "not worth it";
    const uint64_t piece = rates.piece(kXqToDevice, 9 * kMiB);
    EXPECT_GE(piece, 3 * kMiB);
    EXPECT_LT(piece, 3 * kMiB + 128 * 1024);
}

TEST(CopyRates, APieceBecomes100usOfCopying) {
    CopyRates rates = begun();
    launch(rates, 1, 1200);
    // 8 MiB in 100 us.
    for (uint64_t done = 0; done < 1200; done += 40) rates.completed(done, done + 40, 40 * 50 * base::kMicrosecond);
    const uint64_t piece = rates.piece(kXqToDevice, 800 * kMiB);
    EXPECT_GT(piece, 7 * kMiB);
    EXPECT_LT(piece, 9 * kMiB);
    EXPECT_EQ(rates.piece(kXqToHost, 800 * kMiB), begun().piece(kXqToHost, 800 * kMiB)) << "the other way has its own";
}

TEST(CopyRates, NothingIsLearntFromOtherWork) {
    CopyRates rates = begun();
    launch(rates, 1, 10);
    launch(rates, 12, 10);  // command 11 is none
    rates.completed(0, 20, 100 * kMs);
    launch(rates, 22, 10);
    launch(rates, 32, 10, kXqToHost);
    rates.completed(25, 35, 100 * kMs);
    EXPECT_EQ(rates.piece(kXqToDevice, 256 * kMiB), begun().piece(kXqToDevice, 256 * kMiB));
}

TEST(CopyRates, PiecesHaveBounds) {
    CopyRates slow = begun();
    launch(slow, 1, 200);
    for (uint64_t done = 0; done < 200; done += 10) slow.completed(done, done + 10, 1000 * kMs);
    EXPECT_GE(slow.piece(kXqToDevice, 64 * kMiB), kMiB);
    EXPECT_LE(slow.piece(kXqToDevice, 64 * kMiB), kMiB + 64 * 1024);
    CopyRates fast = begun();
    launch(fast, 1, 20000, kXqToDevice, 16 * kMiB);
    for (uint64_t done = 0; done < 20000; done += 2000) fast.completed(done, done + 2000, kMs);
    EXPECT_LE(fast.piece(kXqToDevice, 1024 * kMiB), 16 * kMiB + 64 * 1024);
}

// Pieces of pageable memory are larger: each goes through the driver's staging memory, and to begin that takes as
// long for a small piece.
TEST(CopyRates, PiecesOfPageableMemoryAreLarger) {
    for (const XqCopyKind kind : {kXqPageableToDevice, kXqDeviceToPageable}) {
        EXPECT_EQ(begun().piece(kind, 8 * kMiB), 0u) << "not worth it";
        CopyRates rates = begun();
        launch(rates, 1, 800, kind, 8 * kMiB);
        // The device copies 10 MiB in 1 ms, and a piece has 8 MiB.
        for (uint64_t done = 0; done < 800; done += 5) rates.completed(done, done + 5, 4 * kMs);
        EXPECT_GE(rates.piece(kind, 800 * kMiB), 8 * kMiB - 64 * 1024);
        EXPECT_LE(rates.piece(kind, 800 * kMiB), 8 * kMiB + 64 * 1024);
        CopyRates slow = begun();
        launch(slow, 1, 200, kind, 8 * kMiB);
        for (uint64_t done = 0; done < 200; done += 10) slow.completed(done, done + 10, 1000 * kMs);
        EXPECT_GE(slow.piece(kind, 64 * kMiB), 4 * kMiB);
        EXPECT_LE(slow.piece(kind, 64 * kMiB), 4 * kMiB + 64 * 1024);
    }
}

TEST(CopyRates, OpenClsBuffersHaveTheirOwn) {
    EXPECT_GE(begun().piece(kXqOfBuffers, 64 * kMiB), 2 * kMiB);
    EXPECT_LE(begun().piece(kXqOfBuffers, 64 * kMiB), 2 * kMiB + 64 * 1024);
}

TEST(CopyRates, AHugeCopyHasNotTooMany) { EXPECT_GE(begun().piece(kXqToDevice, 10240 * kMiB), 40 * kMiB); }

TEST(CopyRates, AsToldByTheUser) {
    EXPECT_EQ(begun(CopyRates::kWhole).piece(kXqToDevice, 1024 * kMiB), 0u);
    for (const XqCopyKind kind : {kXqToDevice, kXqPageableToDevice, kXqDeviceToPageable})
        EXPECT_EQ(begun(-2).piece(kind, 64 * kMiB), begun().piece(kind, 64 * kMiB));
    EXPECT_EQ(begun(1000).piece(kXqToDevice, 1024 * kMiB), 1000u);
    EXPECT_EQ(begun(1000).piece(kXqToDevice, 1000), 0u);
}

}  // namespace
}  // namespace xsched::queue
