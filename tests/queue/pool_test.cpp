// Whose words lie on whose page.
#include "queue/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace xsched::queue {
namespace {

constexpr uint32_t kPerPage = ipc::kSlotsPageBytes / sizeof(ipc::QueueSlot);

class Pool : public testing::Test {
protected:
    void TearDown() override {
        for (XQueue* queue : taken_) queue->give_back();
        for (uint64_t owner = 1; owner < next_owner_; ++owner) words_owner_gone(owner);
    }
    uint64_t new_owner() { return next_owner_++; }
    // Takes an XQueue for this owner from the pool. Returns the page of slots that it is in; kMostQueues: the pool
    // had none.
    uint32_t take(uint64_t owner) {
        XQueue* queue = take_from_pool(owner);
        if (queue == nullptr) return ipc::kMostQueues;
        taken_.push_back(queue);
        return queue->index() / kPerPage;
    }
    void release_all() {
        for (XQueue* queue : taken_) queue->give_back();
        taken_.clear();
    }

    static inline uint64_t next_owner_ = 1;
    std::vector<XQueue*> taken_;
};

TEST_F(Pool, ASlotLiesOnOnePage) {
    const auto region = std::make_unique<ipc::Region>();
    for (const ipc::QueueSlot& slot : region->slots) {
        const auto begin = reinterpret_cast<uintptr_t>(&slot);
        EXPECT_EQ(begin / ipc::kSlotsPageBytes, (begin + sizeof slot - 1) / ipc::kSlotsPageBytes);
    }
}

TEST_F(Pool, WordsOfTwoOwnersShareNoPage) {
    const uint64_t owners[] = {new_owner(), new_owner(), new_owner()};
    std::set<uint32_t> pages[3];
    for (uint32_t i = 0; i < 3 * kPerPage; ++i)
        for (int at = 0; at < 3; ++at) pages[at].insert(take(owners[at]));
    for (int at = 0; at < 3; ++at)
        for (const uint32_t page : pages[at])
            for (int other = 0; other < 3; ++other)
                if (other != at) {
                    EXPECT_EQ(pages[other].count(page), 0u) << page;
                }
    EXPECT_EQ(pages[0].size(), 3u);
}

TEST_F(Pool, AnOwnersSlotsAreUsedAgain) {
    const uint64_t owner = new_owner();
    const uint32_t page = take(owner);
    release_all();
    EXPECT_EQ(take(owner), page);
}

TEST_F(Pool, PagesOfOwnersThatAreGoneAreTakenLast) {
    const uint64_t first = new_owner(), second = new_owner();
    const uint32_t old = take(first);
    const uint32_t later = take(second);
    release_all();
    words_owner_gone(first);
    words_owner_gone(second);
    uint32_t page = take(new_owner());
    EXPECT_NE(page, old);
    EXPECT_NE(page, later);
    std::vector<uint32_t> order;
    while (page != later && page < ipc::kMostQueues && order.size() < ipc::kMostQueues) {
        page = take(new_owner());
        order.push_back(page);
    }
    ASSERT_EQ(page, later);
    EXPECT_NE(std::find(order.begin(), order.end(), old), order.end()) << "the one that went first comes first";
}

TEST_F(Pool, WhenAllPagesHaveOwnersTheyShare) {
    for (uint32_t i = 0; i < ipc::kMostQueues; ++i) ASSERT_LT(take(new_owner()), ipc::kMostQueues) << i;
    EXPECT_EQ(take(new_owner()), ipc::kMostQueues);
}

}  // namespace
}  // namespace xsched::queue
