// A length of time that doubles with each failure: for how long something is not believed, or not tried again. Pure;
// not thread-safe; no allocation.
#pragma once

#include <algorithm>

namespace xsched::base {

template <typename Length, Length kFirst, Length kMost>
class Doubling {
public:
    // Returns kFirst after a reset, and then with each call twice the last length, but at most kMost.
    Length next() { return last_ = upcoming(); }
    // Returns what next() would return, and changes nothing.
    Length upcoming() const { return last_ == 0 ? kFirst : std::min<Length>(2 * last_, kMost); }
    // Returns the length that next() returned last; 0 if next() was not called since the last reset.
    Length last() const { return last_; }
    void reset() { last_ = 0; }

private:
    Length last_ = 0;
};

}  // namespace xsched::base
