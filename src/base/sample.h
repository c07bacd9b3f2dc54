// The last few numbers of a kind, in order of time and sorted: a distribution that forgets. Pure; not thread-safe; no
// allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace xsched::base {

template <typename Number, unsigned kMost>
class Sample {
public:
    // Adds a number. If there are kMost, the oldest one goes.
    void add(Number number) {
        const auto begin = sorted_.begin();
        auto end = begin + count_;
        if (count_ == kMost) {
            const auto oldest = std::lower_bound(begin, end, by_time_[next_]);
            std::move(oldest + 1, end, oldest);
            --end;
        } else {
            ++count_;
        }
        const auto place = std::upper_bound(begin, end, number);
        std::move_backward(place, end, end + 1);
        *place = number;
        by_time_[next_] = number;
        next_ = (next_ + 1) % kMost;
    }
    void clear() { count_ = next_ = 0; }

    unsigned count() const { return count_; }
    bool full() const { return count_ == kMost; }
    // The following functions need at least one number.
    std::span<const Number> sorted() const { return std::span(sorted_).first(count_); }
    Number least() const { return sorted_[0]; }
    Number most() const { return sorted_[count_ - 1]; }
    // Returns the least number of which `part` of `parts` are no larger: quantile(1, 2) is the median, the upper one of
    // an even count.
    Number quantile(unsigned part, unsigned parts) const {
        return sorted_[std::min(count_ * part / parts, count_ - 1)];
    }
    // Returns the largest number besides the `left_out` largest ones.
    Number most_but(unsigned left_out) const { return sorted_[count_ - 1 - std::min(left_out, count_ - 1)]; }
    // Returns whether the largest and the smallest number differ by at most `spread`.
    bool alike(Number spread) const { return most() - least() <= spread; }

private:
    std::array<Number, kMost> by_time_{};  // a ring; once it is full, next_ is the oldest
    std::array<Number, kMost> sorted_{};  // the same numbers
    unsigned count_ = 0;
    unsigned next_ = 0;
};

}  // namespace xsched::base
