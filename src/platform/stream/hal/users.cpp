#include "platform/stream/hal/users.h"

namespace xsched::stream {

bool Users::enter() {
    if ((word_.fetch_add(1, std::memory_order_acq_rel) & kEnded) == 0) return true;
    leave();
    return false;
}

void Users::leave() {
    if (word_.fetch_sub(1, std::memory_order_acq_rel) == kEnded + 1) base::futex_wake_all(word_);
}

void Users::end() {
    uint32_t now = word_.fetch_or(kEnded, std::memory_order_acq_rel) | kEnded;
    while (now != kEnded) {
        base::futex_wait(word_, now);
        now = word_.load(std::memory_order_acquire);
    }
}

}  // namespace xsched::stream
