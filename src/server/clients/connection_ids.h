// Numbers for connections. They count up and start again after 2^32. A client that reconnects all the time reaches that
// in days, so a number that is still in use is skipped. Front thread.
#pragma once

#include <cstdint>

namespace xsched::server {

class ConnectionIds {
public:
    explicit ConnectionIds(uint32_t next = 1) : next_(next) {}
    // Returns the next free number, never 0. `is_taken(id)`: a connection has that number.
    template <typename IsTaken>
    uint32_t take(IsTaken is_taken) {
        while (next_ == 0 || is_taken(next_)) ++next_;
        return next_++;
    }

private:
    uint32_t next_;
};

}  // namespace xsched::server
