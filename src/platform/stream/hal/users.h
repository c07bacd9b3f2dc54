// Counts the threads that are using a HwQueue at the moment. Any thread.
#pragma once

#include <cstdint>

#include "base/futex.h"

namespace xsched::stream {

// The wrapper's users, from its creation to its end.
class Users {
public:
    // False: it has ended.
    bool enter();
    void leave();
    // No more users from here on; returns when the last one has left.
    void end();
    // A user that is on its way out of the ended one is still counted.
    void restart() { word_.fetch_and(~kEnded, std::memory_order_release); }

private:
    static constexpr uint32_t kEnded = 1u << 31;
    base::FutexWord word_{0};
};

}  // namespace xsched::stream
