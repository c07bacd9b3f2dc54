// A gang's members on two devices run and stop together, under the real xserver.
#include "system/gang_rig.h"

namespace xsched::test {
namespace {

class CudaGangs : public WithGang {};

TEST_F(CudaGangs, WhatKeepsOneMemberOffStopsTheOtherOnItsDevice) {
    start_members();
    const auto urgent = start_on("urgent", 10, "1");
    ASSERT_TRUE(urgent->advances()) << urgent->process().err();
    EXPECT_TRUE(both_make_room_for(*urgent)) << first->process().err() << second->process().err();
    // One member of the gang is suspended only because the other one is. Its own device is not left idle: a less
    // urgent program gets it.
    const auto below = start_on("below", -5, "0");
    EXPECT_TRUE(below->advances()) << below->process().err();
    EXPECT_TRUE(both_make_room_for(*below));

    urgent->rest();
    EXPECT_TRUE(first->advances()) << first->process().err();
    EXPECT_TRUE(second->advances()) << second->process().err();
    EXPECT_TRUE(is_kept_off(*below, *first));
    end({first.get(), second.get(), urgent.get(), below.get()});
}

TEST_F(CudaGangs, AMemberThatIsKilledLeavesTheOtherAlone) {
    start_members();
    const auto urgent = start_on("urgent", 10, "1");
    ASSERT_TRUE(urgent->advances()) << urgent->process().err();
    EXPECT_TRUE(both_make_room_for(*urgent));
    kill(second->pid(), SIGKILL);
    second->process().wait();
    EXPECT_TRUE(first->advances()) << first->process().err();
    end({first.get(), urgent.get()});
}

}  // namespace
}  // namespace xsched::test
