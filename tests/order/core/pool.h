// A pool of the queues or streams of a context: a worker draws a random one, and may replace it by a new one. Any
// thread.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "order/core/random.h"

namespace order {

template <typename Item>
class Pool {
public:
    using Pointer = std::shared_ptr<Item>;

    void add(Pointer item) {
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(item));
    }
    Pointer any(Random& random) {
        const std::lock_guard lock(mutex_);
        return items_[random.below(static_cast<uint32_t>(items_.size()))];
    }
    std::vector<Pointer> all() {
        const std::lock_guard lock(mutex_);
        return items_;
    }
    // Replaces a random item of the pool by `fresh`, and returns the item.
    Pointer replace(Pointer fresh, Random& random) {
        const std::lock_guard lock(mutex_);
        std::swap(items_[random.below(static_cast<uint32_t>(items_.size()))], fresh);
        return fresh;
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        items_.clear();
    }

private:
    std::mutex mutex_;
    std::vector<Pointer> items_;
};

}  // namespace order
