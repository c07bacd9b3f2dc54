// A quantile with its 95 % interval, for doctor's verdicts and table. bench/lib/spread.py does the same for the
// benchmarks; tests/support/situations.json checks both. Pure. Any thread.
//
// The interval comes from order statistics: how many of n independent values lie below the quantile is a binomial
// number, whatever the distribution looks like (Conover, Practical Nonparametric Statistics, 3.2; Le Boudec,
// Performance Evaluation of Computer and Communication Systems, theorem 2.1). Bursts are not independent: a disturbance
// hits several in a row. So n is divided by the dispersion of the counts below the quantile in consecutive blocks, as
// for overdispersed binomial counts (McCullagh and Nelder, Generalized Linear Models, 4.5), and the interval grows.
#pragma once

#include <optional>
#include <vector>

namespace xsched::cli {

struct Quantile {
    double value = 0;
    std::optional<double> low, high;  // none: too few values to bound it on that side
};

// Returns the quantile. `values`: in order of time, at least one. `part`: 0 to 1.
Quantile quantile_of(const std::vector<double>& values, double part);

// Returns whether the 95 % interval of `one` ends below the begin of that of `other`; false if one of the two bounds is
// missing.
bool surely_below(const Quantile& one, const Quantile& other);

}  // namespace xsched::cli
