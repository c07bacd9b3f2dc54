// Launched commands of one queue whose end is not reported yet, in their order. Pure; guarded by its own lock.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "base/no_copies.h"
#include "queue/ticket.h"

namespace xsched::vulkan {

class Reports : base::NoCopies {
public:
    ~Reports() { delete[] rows_; }
    // Returns false if memory is exhausted.
    bool add(uint64_t value, XqToken token);
    // Removes the oldest command if its signal is not above `value`; 0: there is none.
    XqToken take(uint64_t value);
    // Returns the value for which the oldest command waits; 0: there is none.
    uint64_t oldest();

private:
    struct Row {
        uint64_t value;
        XqToken token;
    };
    static constexpr uint32_t kFirstRows = 64;  // a power of two, as every size

    bool grow();

    base::Mutex mutex_;
    Row* rows_ = nullptr;
    uint32_t size_ = 0;
    uint32_t first_ = 0;
    uint32_t count_ = 0;
};

}  // namespace xsched::vulkan
