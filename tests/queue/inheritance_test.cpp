#include "queue/inheritance.h"

#include <gtest/gtest.h>

#include <memory>

namespace xsched::queue {
namespace {

class Inheritance : public testing::Test {
protected:
    std::unique_ptr<ipc::QueueSlot> memory = std::make_unique<ipc::QueueSlot>();
    ipc::QueueSlot& slot = *memory;
};

TEST_F(Inheritance, LastsUntilWhatWasSubmittedIsComplete) {
    EXPECT_TRUE(inherit(slot, 5, 10));
    EXPECT_EQ(inherited_priority(slot), 10);
    slot.completed = 4;
    EXPECT_EQ(inherited_priority(slot), 10);
    slot.completed = 5;
    EXPECT_EQ(inherited_priority(slot), 0);
}

TEST_F(Inheritance, IsNothingNewTheSecondTime) {
    EXPECT_TRUE(inherit(slot, 5, 10));
    EXPECT_FALSE(inherit(slot, 5, 10));
    EXPECT_FALSE(inherit(slot, 5, 9));
    EXPECT_TRUE(inherit(slot, 6, 10)) << "for one command more";
}

TEST_F(Inheritance, NeitherIdleNorMoreUrgentQueuesInherit) {
    EXPECT_FALSE(inherit(slot, 0, 10));
    slot.priority = 20;
    EXPECT_FALSE(inherit(slot, 5, 10));
    EXPECT_EQ(inherited_priority(slot), 20);
}

TEST_F(Inheritance, AHigherOneDoesNotEndALaterLowerOne) {
    inherit(slot, 5, 10);
    inherit(slot, 8, 3);
    EXPECT_EQ(inherited_priority(slot), 10);
    slot.completed = 6;
    EXPECT_EQ(inherited_priority(slot), 3);
}

TEST_F(Inheritance, WithAllEntriesTakenOneGoesOn) {
    for (int i = 0; i < ipc::kMostInherited; ++i) inherit(slot, 5 + static_cast<uint64_t>(i), 50 - i);
    inherit(slot, 100, 1);
    slot.completed = 99;
    EXPECT_GE(inherited_priority(slot), 1);
}

}  // namespace
}  // namespace xsched::queue
