// Whether a way to share a device helps the urgent program: the one statistic behind the verdicts of xcli doctor --run.
// bench/lib/gain.py is the same for the demo, xcli report and the acceptance tests; tests/support/situations.json holds
// both to the same answers. Pure. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/load.h"
#include "cli/doctor/quantile.h"

namespace xsched::cli {

enum class Gain {
    kGain,  // the p50 or the p99 is less than natively, beyond the intervals, and the victim keeps its part
    kNothingToGain,  // natively, the urgent program does not wait
    kNoGain,  // bursts are not shorter, or another quantile is longer, or the victim keeps too little
    kNoVerdict,  // too few bursts, a busy machine, or figures that contradict each other
};

// Returns why figures measured under this load prove nothing, as a sentence; empty: they may.
std::string why_disturbed(const Load& load);

struct Sharing {
    std::string way;  // "under XSched", "with it"
    std::vector<double> alone_ms, native_ms, shared_ms;  // the urgent program's bursts, in the order of time
    std::optional<double> kept;  // by the other program; none: not known
    std::string kept_of = "its native rate";
    Load load;
};

struct Judged {
    Gain gain = Gain::kNoVerdict;
    std::string says;
};
Judged judge_gain(const Sharing& sharing);

// "1.2 ms (1.1 to 1.3)", the interval with a question mark where it has no bound.
std::string text_of(const Quantile& quantile);

}  // namespace xsched::cli
