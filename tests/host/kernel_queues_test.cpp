// Tests the count of compute queues in AMD's kernel driver, on copies of its files in a folder.
#include "host/kernel_queues.h"

#include <gtest/gtest.h>

#include "support/kfd_files.h"

namespace xsched::hip {
namespace {

class KernelQueuesTest : public ::testing::Test {
protected:
    std::vector<KernelQueues> found() const { return kernel_queues(files_.root()); }
    test::KfdFiles files_;
};

TEST_F(KernelQueuesTest, NothingWhereThereIsNoDriver) {
    EXPECT_TRUE(kernel_queues("/nowhere").empty());
    EXPECT_TRUE(found().empty()) << "no GPU, no queue";
}

TEST_F(KernelQueuesTest, CountsThoseOfAllProgramsByGpu) {
    files_.add_gpu("1", "4711", 0, 0xc100);
    files_.add_gpu("2", "4712", 0, 0xc200);
    files_.add_queues("7", "4711", 20);
    files_.add_queues("8", "4711", 4);
    files_.add_queues("9", "4712", 25);
    const auto nodes = found();
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(nodes[0].text(), "node 1: 24 of 24 that it takes at once");
    EXPECT_FALSE(nodes[0].take_turns());
    EXPECT_EQ(nodes[1].text(), "node 2: 25 of 24 that it takes at once");
    EXPECT_TRUE(nodes[1].take_turns());
}

TEST_F(KernelQueuesTest, QueuesForCopiesDoNotCount) {
    files_.add_gpu("1", "4711", 0, 0xc100);
    files_.add_queues("7", "4711", 3);
    files_.add_queues("8", "4711", 5, "1");
    EXPECT_EQ(found().at(0).queues, 3u);
}

// The address of a GPU is the one that XSched has for a HIP device at 0002:c1:03.0 (platform/stream/hal/identity.h).
TEST_F(KernelQueuesTest, TheAddressIsThatOfXsched) {
    files_.add_gpu("1", "4711", 2, 0xc118);
    files_.add_gpu("2", "4712", 2, 0x2000c118);  // a partition of the same one
    files_.add_queues("7", "4711", 1);
    files_.add_queues("7", "4712", 1);
    EXPECT_EQ(found().at(0).address, 0x0002c118u);
    EXPECT_EQ(found().at(1).address, 0x0002c118u);
}

TEST_F(KernelQueuesTest, AGpuThatDoesNotSayHowManyItTakesIsLeftOut) {
    files_.add_gpu("1", "4711", 0, 0xc100, 0);
    files_.add_queues("7", "4711", 30);
    EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace xsched::hip
