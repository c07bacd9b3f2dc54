// A user's allowance of something that comes back with time: time of the scheduling thread, or room in a log. Each use
// has a price in nanoseconds, and one nanosecond comes back per nanosecond. Unused allowance is saved up to a limit.
// The dispatcher's thread alone.
#pragma once

#include <algorithm>
#include <cstdint>

namespace xsched::dispatch {

struct Allowance {
    int64_t used_until_ns = 0;  // the moment up to which all that came back has been used

    bool is_spent(int64_t now_ns) const { return used_until_ns > now_ns; }
    // Returns how much can be used now; 0 also if only the last nanosecond is left.
    int64_t left_ns(int64_t most_saved_ns, int64_t now_ns) const {
        return std::clamp<int64_t>(now_ns - used_until_ns, 0, most_saved_ns);
    }
    // Uses this much, even if less is left: then it takes longer to come back.
    void use(int64_t price_ns, int64_t most_saved_ns, int64_t now_ns) {
        used_until_ns = std::max(used_until_ns, now_ns - most_saved_ns) + price_ns;
    }
    // Uses this much if anything is left. Returns false if nothing is.
    bool try_use(int64_t price_ns, int64_t most_saved_ns, int64_t now_ns) {
        if (is_spent(now_ns)) return false;
        use(price_ns, most_saved_ns, now_ns);
        return true;
    }
};

}  // namespace xsched::dispatch
