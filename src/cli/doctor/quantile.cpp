#include "cli/doctor/quantile.h"

#include <algorithm>
#include <cmath>

namespace xsched::cli {
namespace {

constexpr double kBeyond = 0.025;        // probability outside of a 95 % interval on each side
constexpr size_t kBlocks = 10;  // number of consecutive blocks of a series; fewer if blocks would be too short
constexpr size_t kLeastOfBlock = 6;  // fewest values of a block: fewer do not show their dispersion
constexpr size_t kLeastBlocks = 3;  // fewest blocks: a variance of two numbers is chance

struct Ranks {
    std::optional<size_t> low, high;  // ranks of the bounds; 0 is the smallest value
};

Ranks ranks_of(size_t count, double part) {
    Ranks ranks;
    const auto n = static_cast<double>(count);
    double below = 0;  // probability that at most `rank` values lie below the quantile
    for (size_t rank = 0; rank < count && !ranks.high; ++rank) {
        const auto r = static_cast<double>(rank);
        below += std::exp(std::lgamma(n + 1) - std::lgamma(r + 1) - std::lgamma(n - r + 1) + r * std::log(part) +
                          (n - r) * std::log1p(-part));
        if (below <= kBeyond) ranks.low = rank;
        if (1 - below <= kBeyond) ranks.high = rank;
    }
    return ranks;
}

// Returns the ratio of two variances from block to block of the counts below `limit`: the measured one, and that of
// independent values.
double dispersion(const std::vector<double>& values, double limit, double part) {
    const size_t blocks = std::min(kBlocks, values.size() / kLeastOfBlock);
    if (blocks < kLeastBlocks) return 1;
    double sum = 0;
    for (size_t block = 0; block < blocks; ++block) {
        const size_t begin = block * values.size() / blocks, end = (block + 1) * values.size() / blocks;
        const auto below = static_cast<double>(std::count_if(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                                             values.begin() + static_cast<std::ptrdiff_t>(end),
                                                             [&](double v) { return v <= limit; }));
        const double expected = static_cast<double>(end - begin) * part;
        sum += (below - expected) * (below - expected) / (expected * (1 - part));
    }
    return std::max(sum / static_cast<double>(blocks - 1), 1.0);
}

}  // namespace

Quantile quantile_of(const std::vector<double>& values, double part) {
    std::vector<double> ordered = values;
    std::sort(ordered.begin(), ordered.end());
    const auto n = static_cast<double>(ordered.size());
    // The tiny subtrahend keeps rounding from making 0.99 of 100 values the 100th value instead of the 99th.
    const auto at = static_cast<size_t>(std::max(std::ceil(n * part - 1e-9), 1.0)) - 1;
    Quantile found{ordered[at], {}, {}};
    const auto independent = static_cast<size_t>(n / dispersion(values, found.value, part));
    const Ranks ranks = ranks_of(independent, part);
    const double each = n / static_cast<double>(std::max<size_t>(independent, 1));
    const auto rank = [&](double scaled) { return ordered[std::min(static_cast<size_t>(scaled), ordered.size() - 1)]; };
    if (ranks.low) found.low = rank(std::floor(static_cast<double>(*ranks.low) * each));
    if (ranks.high) found.high = rank(std::ceil(static_cast<double>(*ranks.high) * each));
    return found;
}

bool surely_below(const Quantile& one, const Quantile& other) {
    return one.high && other.low && *one.high < *other.low;
}

}  // namespace xsched::cli
