// Does small things a little later, in no particular order, from a thread of its own that never waits for any of them.
// Any thread may add.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "order/core/random.h"
#include "order/core/report.h"

namespace order {

// Performs items on a thread of its own, in random order. Deed::perform(item, random) does one, and may wait before.
template <typename Item, typename Deed>
class Later {
public:
    explicit Later(uint64_t seed) : random_(seed), thread_([this] { loop(); }) {}
    // After everything that was added is done.
    ~Later() {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
            wake_.notify_one();
        }
        thread_.join();
    }
    Later(const Later&) = delete;
    Later& operator=(const Later&) = delete;

    void add(const Item& item) {
        const std::lock_guard lock(mutex_);
        items_.push_back(item);
        wake_.notify_one();
    }

private:
    void loop() {
        const Activity activity("signaller");
        std::unique_lock lock(mutex_);
        for (;;) {
            Activity::set("waiting for something to do");
            wake_.wait(lock, [this] { return stop_ || !items_.empty(); });
            if (items_.empty()) return;
            std::swap(items_[random_.below(static_cast<uint32_t>(items_.size()))], items_.back());
            const Item item = items_.back();
            items_.pop_back();
            lock.unlock();
            Deed::perform(item, random_);
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<Item> items_;  // under mutex_
    bool stop_ = false;        // under mutex_
    Random random_;
    std::thread thread_;
};

}  // namespace order
