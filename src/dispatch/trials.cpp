#include "dispatch/trials.h"

#include <algorithm>

namespace xsched::dispatch {

int64_t Trials::Way::median() const {
    std::array<int64_t, kBursts> sorted = last_ns;
    const auto middle = sorted.begin() + kBursts / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

void Trials::note(unsigned way, uint64_t unit, int64_t ns) {
    if (unit != unit_) *this = Trials{};
    unit_ = unit;
    ways_[way].last_ns[ways_[way].bursts++ % kBursts] = ns;
    if (!ways_[next_].known()) return;
    const unsigned other = 1 - next_;
    if (!ways_[other].known()) {
        next_ = other;
    } else if (!compared_) {
        compare();
    } else if (++since_ >= kAgainAfter) {
        compared_ = false;
        ways_[other] = {};
        next_ = other;
    }
}

void Trials::compare() {
    const unsigned other = 1 - better_;
    if (ways_[other].median() * 100 < ways_[better_].median() * (100 - kClearPercent)) better_ = other;
    next_ = better_;
    compared_ = true;
    since_ = 0;
}

}  // namespace xsched::dispatch
