// A length that doubles: for how long something is not believed, or not tried, that has failed again. Pure; not
// thread-safe; no allocation.
#pragma once

#include <algorithm>

namespace xsched::base {

template <typename Length, Length kFirst, Length kMost>
class Doubling {
public:
    // The first one, and then each time twice the last one, as long as that is no longer than the longest.
    Length next() { return last_ = upcoming(); }
    // Returns the same without taking it.
    Length upcoming() const { return last_ == 0 ? kFirst : std::min<Length>(2 * last_, kMost); }
    // The length that next() returned last; 0: none since the last reset.
    Length last() const { return last_; }
    void reset() { last_ = 0; }

private:
    Length last_ = 0;
};

}  // namespace xsched::base
