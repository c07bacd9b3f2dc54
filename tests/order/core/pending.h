// The submissions of one worker that are not settled, oldest first. That worker's thread alone.
#pragma once

#include <deque>

#include "order/core/random.h"
#include "order/core/report.h"

namespace order {

template <typename Pointer>
class Pending {
public:
    void add(const Pointer& tracker) { trackers_.push_back(tracker); }
    // Settles the oldest if there are too many.
    void limit() {
        if (trackers_.size() <= kMost) return;
        Activity::set("waiting for its oldest work");
        settle_oldest();
    }
    void settle_all() {
        Activity::set("waiting for its work at the end");
        while (!trackers_.empty()) {
            settle_oldest();
            count_operation();  // progress
        }
    }
    const Pointer& any(Random& random) const {
        return trackers_[random.below(static_cast<uint32_t>(trackers_.size()))];
    }
    bool empty() const { return trackers_.empty(); }
    const Pointer& oldest() const { return trackers_.front(); }
    auto begin() const { return trackers_.begin(); }
    auto end() const { return trackers_.end(); }

private:
    static constexpr size_t kMost = 48;
    void settle_oldest() {
        trackers_.front()->settle();
        trackers_.pop_front();
    }
    std::deque<Pointer> trackers_;
};

}  // namespace order
