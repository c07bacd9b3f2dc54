// Numbers for connections. They go up and begin anew after 2^32: one that connects again and again gets there in days,
// and whoever has been here since then keeps his number. Front thread.
#pragma once

#include <cstdint>

namespace xsched::server {

class ConnectionIds {
public:
    explicit ConnectionIds(uint32_t next = 1) : next_(next) {}
    // is_taken(id): somebody has it. 0 is nobody's.
    template <typename IsTaken>
    uint32_t take(IsTaken is_taken) {
        while (next_ == 0 || is_taken(next_)) ++next_;
        return next_++;
    }

private:
    uint32_t next_;
};

}  // namespace xsched::server
