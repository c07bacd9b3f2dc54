#include "queue/path/progress_reports.h"

#include <gtest/gtest.h>

namespace xsched::queue {
namespace {

// Submits commands and takes reports as a queue does. `returned`: whether the driver's call has returned.
struct Rig {
    void submit(bool returned = true) {
        reports.enqueued(submitted);  // as the queue does, before the call is on its way
        ++submitted;
        if (returned) reports.call_returned();
    }
    bool next() { return reports.next(submitted, &value); }

    ProgressReports reports;
    uint64_t submitted = 0;
    uint64_t value = 0;
};

TEST(ProgressReports, WhatIsAskedForIsWrittenOnce) {
    Rig rig;
    rig.submit();
    rig.submit();
    rig.reports.ask(2);
    ASSERT_TRUE(rig.next());
    EXPECT_EQ(rig.value, 2u);
    EXPECT_FALSE(rig.reports.wrote(true, 0));
    EXPECT_FALSE(rig.next()) << "it says nothing new";
}

TEST(ProgressReports, ACallOnItsWayIsNotCounted) {
    Rig rig;
    rig.submit();
    rig.submit(false);
    rig.submit();  // another thread's, which overtook it
    rig.reports.ask(3);
    ASSERT_TRUE(rig.next());
    EXPECT_EQ(rig.value, 1u);
    EXPECT_TRUE(rig.reports.owed()) << "the rest is to come";
    rig.reports.wrote(true, 0);
    rig.reports.call_returned();
    ASSERT_TRUE(rig.next());
    EXPECT_EQ(rig.value, 3u);
    EXPECT_FALSE(rig.reports.owed());
}

TEST(ProgressReports, WhatTheDeviceRefusesIsTriedAgain) {
    Rig rig;
    rig.submit();
    rig.reports.ask(1);
    ASSERT_TRUE(rig.next());
    EXPECT_FALSE(rig.reports.wrote(false, 0));
    EXPECT_EQ(rig.reports.asked(), 0u);
    rig.reports.ask(1);
    EXPECT_TRUE(rig.next());
}

// Two threads may have written progress reports at the same time, the smaller number last. So the larger number is
// written once more.
TEST(ProgressReports, AfterTwoAtOnceTheLastIsSaidAgain) {
    Rig rig;
    rig.submit();
    rig.reports.ask(1);
    ASSERT_TRUE(rig.next());
    rig.submit();
    rig.reports.ask(2);
    ASSERT_TRUE(rig.next());
    EXPECT_FALSE(rig.reports.wrote(true, 0)) << "the other one is not through";
    EXPECT_TRUE(rig.reports.wrote(true, 0));
    ASSERT_TRUE(rig.next());
    EXPECT_EQ(rig.value, 2u);
    EXPECT_FALSE(rig.reports.wrote(true, 0));
}

TEST(ProgressReports, InForksChildNoCallIsOnItsWay) {
    Rig rig;
    rig.submit(false);
    rig.reports.after_fork(rig.submitted);
    EXPECT_EQ(rig.reports.enqueued(rig.submitted), 1u);
}

}  // namespace
}  // namespace xsched::queue
