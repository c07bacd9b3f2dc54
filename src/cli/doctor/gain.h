// Judges whether a way to share a device helps the urgent program. The verdicts of xcli doctor --run rest on this
// statistic. bench/lib/gain.py does the same for the demo, xcli report and the acceptance tests;
// tests/support/situations.json checks that both give the same answers. Pure. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/load.h"
#include "cli/doctor/quantile.h"

namespace xsched::cli {

enum class Gain {
    kGain,  // p50 or p99 is below native beyond the intervals, and the victim keeps its part
    kNothingToGain,  // the urgent program does not wait natively
    kNoGain,  // bursts are not shorter, or another quantile is longer, or the victim keeps too little
    kNoVerdict,  // too few bursts, a busy machine, or contradicting figures
};

// Returns a sentence that says why figures measured under this load prove nothing; empty if they may prove something.
std::string why_disturbed(const Load& load);

// The part of its native rate that the victim must keep. Levels promise it the time that the urgent program leaves,
// which is nearly all in these jobs; half allows for the cost of gates and preemption.
inline constexpr double kLeastKept = 0.5;

struct Sharing {
    std::string way;  // how a sentence names the way: "under XSched", "with it"
    std::vector<double> alone_ms, native_ms, shared_ms;  // the urgent program's bursts in order of time: alone,
                                                         // natively, and this way
    std::optional<double> kept;  // part of its native rate that the other program kept; none: not known
    std::string kept_of = "its native rate";
    Load load;
};

struct Judged {
    Gain gain = Gain::kNoVerdict;
    std::string says;
};
Judged judge_gain(const Sharing& sharing);

// Returns, for example, "1.2 ms (1.1 to 1.3)"; where a bound is not known, "1.2 ms (at least 1.1)".
std::string text_of(const Quantile& quantile);

}  // namespace xsched::cli
