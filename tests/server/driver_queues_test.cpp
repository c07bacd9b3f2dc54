// Queues of AMD's kernel driver by device, on files staged in a folder.
#include "server/driver_queues.h"

#include <gtest/gtest.h>

#include "base/time.h"
#include "support/kfd_files.h"
#include "xsched/types.h"

namespace xsched::server {
namespace {

constexpr uint64_t kGpu = uint64_t{kDeviceTypeGPU} << 32 | 0xc100;

class DriverQueuesTest : public ::testing::Test {
protected:
    uint64_t queues_at(int64_t now_ns, uint64_t device = kGpu) {
        const hip::KernelQueues* found = queues_.of(device, now_ns);
        return found != nullptr ? found->queues : 0;
    }
    test::KfdFiles files_;
    DriverQueues queues_{files_.root()};
};

TEST_F(DriverQueuesTest, AreThoseOfTheDevicesAddress) {
    files_.add_gpu("1", "4711", 0, 0xc100);
    files_.add_queues("7", "4711", 3);
    EXPECT_EQ(queues_at(base::kSecond), 3u);
    EXPECT_EQ(queues_at(base::kSecond, uint64_t{kDeviceTypeGPU} << 32 | 0xc200), 0u);
    EXPECT_EQ(queues_at(base::kSecond, uint64_t{kDeviceTypeCPU} << 32 | 0xc100), 0u) << "no GPU";
}

TEST_F(DriverQueuesTest, AreCountedOnceASecond) {
    files_.add_gpu("1", "4711", 0, 0xc100);
    files_.add_queues("7", "4711", 3);
    EXPECT_EQ(queues_at(base::kSecond), 3u);
    files_.add_queues("8", "4711", 30);
    EXPECT_EQ(queues_at(2 * base::kSecond - 1), 3u);
    EXPECT_FALSE(queues_.any_take_turns(2 * base::kSecond - 1));
    EXPECT_EQ(queues_at(2 * base::kSecond), 33u);
    EXPECT_TRUE(queues_.any_take_turns(2 * base::kSecond));
}

TEST_F(DriverQueuesTest, OfPartitionsTheFullestCounts) {
    files_.add_gpu("1", "4711", 0, 0xc100);
    files_.add_gpu("2", "4712", 0, 0x1000c100);
    files_.add_gpu("3", "4713", 0, 0x2000c100, 100);
    files_.add_queues("7", "4711", 3);
    files_.add_queues("7", "4712", 25);
    files_.add_queues("7", "4713", 40);
    EXPECT_EQ(queues_at(base::kSecond), 25u);
}

}  // namespace
}  // namespace xsched::server
