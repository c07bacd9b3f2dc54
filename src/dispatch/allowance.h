// An allowance of one user for something that comes back with time: work of the scheduling thread, room in a log. Each
// use has a price in nanoseconds, and one nanosecond of it comes back per nanosecond. Unused allowance is saved up to a
// limit. The dispatcher's thread alone.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xsched::dispatch {

struct Allowance {
    int64_t used_until_ns = 0;  // all that came back until then has been used

    bool is_spent(int64_t now_ns) const { return used_until_ns > now_ns; }
    // How much can be used now; 0 is also the last bit of what is not spent yet.
    int64_t left_ns(int64_t most_saved_ns, int64_t now_ns) const {
        return std::clamp<int64_t>(now_ns - used_until_ns, 0, most_saved_ns);
    }
    // Also more than is left: then it is spent for longer.
    void use(int64_t price_ns, int64_t most_saved_ns, int64_t now_ns) {
        used_until_ns = std::max(used_until_ns, now_ns - most_saved_ns) + price_ns;
    }
    // False: it is spent.
    bool try_use(int64_t price_ns, int64_t most_saved_ns, int64_t now_ns) {
        if (is_spent(now_ns)) return false;
        use(price_ns, most_saved_ns, now_ns);
        return true;
    }
};

}  // namespace xsched::dispatch
