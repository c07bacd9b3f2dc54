// Remembers where the last commands of a stream end in its hardware queue, if the platform can read how far that queue
// is. A place is the number of packets put in by then. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/mutex.h"

namespace xsched::stream {

class Places {
public:
    void forget() {
        base::Lock lock(mutex_);
        queue_ = count_ = 0;
    }
    // Notes that everything up to `value` is in hardware queue `queue`, which has received `packets` in all. Returns
    // false if that is nothing new: the last command put no packet into the queue (a copy engine carries it out).
    bool note(uint32_t value, uint32_t queue, uint64_t packets) {
        base::Lock lock(mutex_);
        if (queue != queue_) count_ = 0;
        queue_ = queue;
        if (count_ > 0 && last().packets >= packets) return last().value == value;
        kept_[count_++ % kKept] = {packets, value};
        return true;
    }
    uint32_t queue() const {
        base::Lock lock(mutex_);
        return queue_;
    }
    // Finds the last remembered value whose packets the device has all taken. Returns false if there is none.
    bool taken(uint32_t queue, uint64_t read, uint32_t* value) const {
        base::Lock lock(mutex_);
        if (queue != queue_) return false;
        const uint32_t most = std::min(count_, kKept);
        for (uint32_t back = 1; back <= most; ++back) {
            const Place& place = kept_[(count_ - back) % kKept];
            if (place.packets > read) continue;
            *value = place.value;
            return true;
        }
        return false;
    }

private:
    static constexpr uint32_t kKept = 32;  // a power of two: the count may overflow
    struct Place {
        uint64_t packets;
        uint32_t value;
    };
    const Place& last() const { return kept_[(count_ - 1) % kKept]; }

    mutable base::Mutex mutex_;
    uint32_t queue_ = 0;  // 0: none
    uint32_t count_ = 0;
    Place kept_[kKept] = {};
};

}  // namespace xsched::stream
