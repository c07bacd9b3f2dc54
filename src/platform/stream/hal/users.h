// Counts the threads that currently use a HwQueue. Any thread.
#pragma once

#include <cstdint>

#include "base/futex.h"

namespace xsched::stream {

// The users of a wrapper, from its creation to its end.
class Users {
public:
    // Adds a user. Returns false if the wrapper has ended.
    bool enter();
    void leave();
    // Admits no more users, and returns when the last one has left.
    void end();
    // Admits users again. A user that is still leaving the ended wrapper stays counted.
    void restart() { word_.fetch_and(~kEnded, std::memory_order_release); }

private:
    static constexpr uint32_t kEnded = 1u << 31;
    base::FutexWord word_{0};
};

}  // namespace xsched::stream
