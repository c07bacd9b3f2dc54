#include "sched/pattern/trials.h"

#include <algorithm>

namespace xsched::sched {

int64_t Trials::Way::median() const {
    std::array<int64_t, kBursts> sorted = last_ns;
    const auto middle = sorted.begin() + kBursts / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

int64_t Trials::Way::shortest() const {
    return *std::min_element(last_ns.begin(), last_ns.begin() + std::min(bursts, kBursts));
}

void Trials::note(unsigned way, uint64_t unit, int64_t ns) {
    if (unit != unit_) *this = Trials{};
    unit_ = unit;
    ways_[way].last_ns[ways_[way].bursts++ % kBursts] = ns;
    const unsigned other = 1 - better_;
    if (settled_) {
        if (++since_ < again_after_) return;
        settled_ = false;
        ways_[other] = {};
        next_ = other;
    } else if (hopeless()) {
        settle(better_);
    } else if (ways_[next_].known()) {
        if (ways_[other].known())
            settle(clearly_shorter(other) ? other : better_);
        else
            next_ = other;
    }
}

bool Trials::clearly_shorter(unsigned way) const {
    return ways_[way].median() * 100 < ways_[1 - way].median() * (100 - kClearPercent);
}

// The trial of the way that has not been the better one so far.
bool Trials::hopeless() const {
    const Way& tried = ways_[1 - better_];
    return next_ != better_ && tried.bursts >= kFew && tried.shortest() >= ways_[better_].median();
}

void Trials::settle(unsigned better) {
    again_after_ = better == better_ ? std::min(again_after_ * 2, kMostAgainAfter) : kAgainAfter;
    better_ = next_ = better;
    settled_ = true;
    since_ = 0;
}

}  // namespace xsched::sched
