// The inheritance of priorities when one queue waits for another.
#include <gtest/gtest.h>

#include "queue/devices.h"

namespace {

using xsched::fake::FakeDevice;
using xsched::test::kHolds;

TEST(InheritPriority, TheProducerInheritsFromAMoreUrgentConsumer) {
    FakeDevice producer(kHolds);
    FakeDevice consumer(kHolds);
    consumer.slot().priority = 10;
    producer.enqueue(0);
    xq_inherit_priority(consumer.abi_queue(), producer.abi_queue());
    EXPECT_EQ(producer.slot().inherited_priority[0], 10);
    EXPECT_EQ(producer.slot().inherited_until[0], 1u);
    producer.step();
    EXPECT_GE(producer.slot().completed, producer.slot().inherited_until[0]);
}

// A weaker inheritance for later work is kept beside a stronger one, and counts when that has ended.
TEST(InheritPriority, AWeakerInheritanceIsNotLostBesideAStrongerOne) {
    FakeDevice producer(kHolds);
    FakeDevice strong(kHolds);
    FakeDevice weak(kHolds);
    strong.slot().priority = 10;
    weak.slot().priority = 5;
    producer.enqueue(0);
    xq_inherit_priority(strong.abi_queue(), producer.abi_queue());
    producer.enqueue(1);
    xq_inherit_priority(weak.abi_queue(), producer.abi_queue());
    EXPECT_EQ(xsched::ipc::with_inherited_priority(producer.slot(), 0, 0), 10);
    EXPECT_EQ(xsched::ipc::with_inherited_priority(producer.slot(), 0, 1), 5);
    EXPECT_EQ(xsched::ipc::with_inherited_priority(producer.slot(), 0, 2), 0);
    producer.enqueue(2);
    xq_inherit_priority(strong.abi_queue(), producer.abi_queue());
    EXPECT_EQ(xsched::ipc::with_inherited_priority(producer.slot(), 0, 2), 10);
    for (int i = 0; i < 2 * xsched::ipc::kMostInherited; ++i) {
        strong.slot().priority = 30 - i;
        producer.enqueue(3 + i);
        xq_inherit_priority(strong.abi_queue(), producer.abi_queue());
        EXPECT_GE(xsched::ipc::with_inherited_priority(producer.slot(), 0, 3 + static_cast<uint64_t>(i)), 30 - i)
            << "too many";
    }
}

TEST(InheritPriority, WhatTheProducerMayWaitForInheritsToo) {
    FakeDevice last(kHolds);
    FakeDevice middle(kHolds);
    FakeDevice first(kHolds);
    last.enqueue(0);
    middle.enqueue(0);
    xq_inherit_priority(middle.abi_queue(), last.abi_queue());
    first.slot().priority = 10;
    xq_inherit_priority(first.abi_queue(), middle.abi_queue());
    EXPECT_EQ(middle.slot().inherited_priority[0], 10);
    EXPECT_EQ(last.slot().inherited_priority[0], 10);
}

}  // namespace
