// The simulator's random numbers: the same sequence from a seed on every machine, unlike the standard library's
// distributions. Not thread-safe; plain data.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace xsched::sim {

// A range; both ends belong to it. With `between`, numbers fall between each two neighbours of that ascending list
// equally often: quantiles at equal distances describe any distribution.
struct Range {
    int64_t least = 0;
    int64_t most = 0;
    std::vector<int64_t> between{};  // empty, or from `least` to `most`
    // Returns the number that this part of all do not exceed.
    int64_t at(double part) const {
        if (between.size() < 2) return least + std::llround(part * static_cast<double>(most - least));
        const double place = part * static_cast<double>(between.size() - 1);
        const auto below = std::min(static_cast<size_t>(place), between.size() - 2);
        const double above = place - static_cast<double>(below);
        return between[below] + std::llround(above * static_cast<double>(between[below + 1] - between[below]));
    }
    bool operator==(const Range&) const = default;
};

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t next() {  // SplitMix64
        uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)
    int64_t below(int64_t limit) { return limit <= 1 ? 0 : static_cast<int64_t>(unit() * static_cast<double>(limit)); }
    int64_t in(const Range& range) {
        if (range.between.size() < 2) return range.least + below(range.most - range.least + 1);
        const auto at = static_cast<size_t>(below(static_cast<int64_t>(range.between.size()) - 1));
        return range.between[at] + below(range.between[at + 1] - range.between[at] + 1);
    }
    // Returns an exponentially distributed time, at most 37 means. A mean above 11 days counts as 11 days, so that the
    // result fits.
    int64_t exponential(double mean) { return static_cast<int64_t>(-std::log(1.0 - unit()) * std::min(mean, 1e15)); }
    // Returns another generator for each number.
    Random branch(uint64_t number) const { return Random(Random(state_ ^ (number * 0xd1b54a32d192ed03U)).next()); }

private:
    uint64_t state_;
};

}  // namespace xsched::sim
