// The submissions to one queue or stream that have a tracker and may not be complete yet. Any thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace order {

template <typename Tracker, size_t kMost>
class Recent {
public:
    using Pointer = std::shared_ptr<Tracker>;

    void remember(const Pointer& tracker) {
        const std::lock_guard lock(mutex_);
        while (trackers_.size() > kMost) trackers_.pop_front();
        trackers_.push_back(tracker);
    }
    std::vector<Pointer> remembered() {
        std::vector<Pointer> all;
        const std::lock_guard lock(mutex_);
        for (const auto& it : trackers_)
            if (Pointer tracker = it.lock()) all.push_back(std::move(tracker));
        return all;
    }
    // Returns the tracker remembered last; null: there is none, or its owner has dropped it.
    Pointer newest() {
        const std::lock_guard lock(mutex_);
        return trackers_.empty() ? nullptr : trackers_.back().lock();
    }

private:
    std::mutex mutex_;
    std::deque<std::weak_ptr<Tracker>> trackers_;
};

}  // namespace order
