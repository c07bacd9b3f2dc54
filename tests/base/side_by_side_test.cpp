// Tests how the device time of several units that used one device at the same time is added up from what each of them
// reports.
#include "base/side_by_side.h"

#include <gtest/gtest.h>

#include <limits>

namespace xsched::base {
namespace {

// Reports 100 times that both units used the same 10 ns of the device. Returns how much time SideBySide counts for both
// together.
int64_t share(SideBySide& use, SideBySide::Part& one, SideBySide::Part& other) {
    int64_t all = 0;
    for (int i = 0; i < 100; ++i) {
        use.could(10);
        use.had(one, 10);
        use.had(other, 10);
        all += use.take();
    }
    return all;
}

TEST(SideBySide, OneAloneHasWhatItSays) {
    SideBySide use;
    SideBySide::Part part;
    EXPECT_EQ(use.take(), 0);
    use.had(part, 7);
    EXPECT_EQ(use.take(), 7) << "whatever time it had";
    use.could(100);
    use.had(part, 5);
    EXPECT_EQ(use.take(), 5);
    EXPECT_EQ(use.take(), 0);
}

TEST(SideBySide, TimeThatTwoShareCountsOnce) {
    SideBySide use;
    SideBySide::Part one, other;
    EXPECT_EQ(share(use, one, other), 1000);
}

TEST(SideBySide, ItCountsOnceWhereOneSaysItLater) {
    SideBySide use;
    SideBySide::Part one, other;
    int64_t all = 0;
    for (int i = 1; i <= 1000; ++i) {
        use.could(1);
        use.had(one, 1);
        if (i % 100 == 0) use.had(other, 100);
        all += use.take();
    }
    EXPECT_GE(all, 1000);
    EXPECT_LE(all, 1100) << "no more than one that is late";
}

TEST(SideBySide, InTurnsAllOfItCounts) {
    SideBySide use;
    SideBySide::Part one, other;
    int64_t all = 0;
    for (int i = 0; i < 10; ++i) {
        use.could(50);
        use.had(i % 2 == 0 ? one : other, 50);
        all += use.take();
    }
    EXPECT_EQ(all, 500);
}

TEST(SideBySide, IdleTimeIsNoCreditForLater) {
    SideBySide use;
    SideBySide::Part one, other;
    use.could(10'000);
    use.had(one, 10);
    EXPECT_EQ(use.take(), 10);
    EXPECT_LE(share(use, one, other), 1010);
}

TEST(SideBySide, AStretchBeginsAnew) {
    SideBySide use;
    SideBySide::Part one, other;
    use.could(10);
    use.had(one, 10);
    use.had(other, 10);
    EXPECT_EQ(use.take(), 10);
    use.restart();
    use.had(other, 3);
    EXPECT_EQ(use.take(), 3) << "what it had before is no part of it";
}

TEST(SideBySide, AbsurdTimesStayAtTheMost) {
    SideBySide use;
    SideBySide::Part one, other;
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    for (int i = 0; i < 3; ++i) {
        use.could(kMost);
        use.had(one, kMost);
        use.had(other, kMost);
        EXPECT_GE(use.take(), 0);
    }
}

}  // namespace
}  // namespace xsched::base
