#include "cli/doctor/gain.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace xsched::cli {
namespace {

// Ratios of latencies.
constexpr double kNothingToGain =
    1.2;  // the urgent program waits natively only if it takes this many times as long as alone (the demos use it, too)
constexpr double kNoticeable = 1 / 0.9;  // a certain difference of less than a tenth is not noticeable
constexpr double kTooFast = 0.9;  // shorter than this part of alone: something other than scheduling made it so
constexpr double kSteady = 1.3;  // widest steady interval of the median alone: upper bound by lower bound
// A victim that gets more than this multiple of its native rate did other work than natively, since XSched gives no
// program more of a device than it has natively. (PoCL, for example, vectorizes a loop that has a guard:
// docs/levels.md.) Half more allows for what the two programs take from each other natively.
constexpr double kMostKept = 1.5;
// Parts of all processors' time. Measured: at 20 % the demo's figures varied by more than XSched's gain.
constexpr double kTooMuchOfOthers = 0.1, kTooMuchStolen = 0.1;
constexpr double kEnoughIdle = 0.5;  // at this idle part the other programs have processors to themselves

struct Quantiles {
    const char* name;
    Quantile alone, native, shared;

    // Return whether bursts are shorter, or longer, when the device is shared in the way to be judged than when it is
    // shared natively. The difference must be noticeable, and the two confidence intervals must not overlap.
    bool shorter() const { return shared.value * kNoticeable <= native.value && surely_below(shared, native); }
    bool longer() const { return shared.value >= native.value * kNoticeable && surely_below(native, shared); }
    bool may_be_shorter() const { return shared.value * kNoticeable <= native.value && !surely_below(shared, native); }
    bool costs() const { return native.value >= kNothingToGain * alone.value && surely_below(alone, native); }
    bool unknown() const { return !alone.high || !native.low; }
};

std::string printed(const char* pattern, double value) {
    char text[48];
    snprintf(text, sizeof text, pattern, value);
    return text;
}
std::string number(double ms) { return printed(ms < 100 ? "%.3g" : "%.0f", ms); }
std::string part_text(double part) { return printed("%.0f %%", 100 * part); }

std::string change(const Quantiles& of, const std::string& way) {
    const char* verb = of.shorter() ? " falls from " : of.longer() ? " grows from " : " goes from ";
    return std::string(of.name) + verb + text_of(of.native) + " natively to " + text_of(of.shared) + " " + way +
           ", alone " + number(of.alone.value) + " ms";
}

std::string comma(const std::string& text, const std::string& more) { return text.empty() ? more : text + "; " + more; }

std::string victim(const Sharing& sharing) {
    return sharing.kept ? "; the other program keeps " + part_text(*sharing.kept) + " of " + sharing.kept_of : "";
}

struct Way {
    const char* name;
    const std::vector<double>& bursts;
    Quantile median;
};

// Returns why the bursts measured alone, natively and in the way to be judged must not be compared: there are none, or
// other programs disturbed them. Empty: they may be compared.
std::string doubts(const Sharing& sharing) {
    std::vector<Way> ways{{"alone", sharing.alone_ms, {}},
                          {"natively", sharing.native_ms, {}},
                          {sharing.way.c_str(), sharing.shared_ms, {}}};
    for (const Way& way : ways)
        if (way.bursts.empty()) return std::string("no burst was measured ") + way.name;
    if (const std::string why = why_disturbed(sharing.load); !why.empty()) return why;
    for (Way& way : ways) {
        way.median = quantile_of(way.bursts, 0.5);
        if (!way.median.low || !way.median.high)
            return "the " + std::to_string(way.bursts.size()) + " bursts " + way.name +
                   " are too few, or too different, for a median";
    }
    const Quantile& alone = ways[0].median;
    if (*alone.high > kSteady * *alone.low)
        return "alone, the urgent program's median is not steady: " + text_of(alone);
    for (const Way& way : ways)
        if (way.median.value < kTooFast * alone.value && surely_below(way.median, alone))
            return std::string("the urgent program was faster ") + way.name + " than alone (" + text_of(way.median) +
                   ", " + text_of(alone) + "): another load slowed it alone";
    if (sharing.kept && *sharing.kept > kMostKept)
        return "the other program did " + part_text(*sharing.kept) + " of " + sharing.kept_of + " " + sharing.way +
               ": its kernels did not take as long in both runs (another load, or another compilation)";
    return "";
}

std::string nothing_to_gain(const Sharing& sharing, const Quantiles& median, const Quantiles& tail) {
    std::string text = "this device runs both programs without making the urgent one wait: its p50 is " +
                       text_of(median.native) + " natively, " + text_of(median.alone) + " alone";
    if (tail.unknown())
        text += "; " + std::to_string(std::min(sharing.alone_ms.size(), sharing.native_ms.size())) +
                " bursts are too few to tell of the p99";
    if (median.longer()) text += "; it takes " + text_of(median.shared) + " " + sharing.way;
    return text + victim(sharing);
}

std::string no_gain(const Sharing& sharing, const Quantiles& median, const Quantiles& tail) {
    return "it does not help here: the urgent program's " + change(median, sharing.way) + "; " +
           change(tail, sharing.way) + victim(sharing);
}

}  // namespace

std::string text_of(const Quantile& quantile) {
    std::string within = "too few for an interval";
    if (quantile.low && quantile.high)
        within = number(*quantile.low) + " to " + number(*quantile.high);
    else if (quantile.low)
        within = "at least " + number(*quantile.low);
    else if (quantile.high)
        within = "at most " + number(*quantile.high);
    return number(quantile.value) + " ms (" + within + ")";
}

std::string why_disturbed(const Load& load) {
    const bool others = load.others >= kTooMuchOfOthers && load.idle < kEnoughIdle;
    if (load.stolen < kTooMuchStolen && !others) return "";
    return "this machine was busy: other programs used " + part_text(load.others) +
           " of its processors, the host of the virtual machine took " + part_text(load.stolen);
}

Judged judge_gain(const Sharing& sharing) {
    if (const std::string why = doubts(sharing); !why.empty()) return {Gain::kNoVerdict, why};
    const auto of = [&](const char* name, double part) {
        return Quantiles{name, quantile_of(sharing.alone_ms, part), quantile_of(sharing.native_ms, part),
                         quantile_of(sharing.shared_ms, part)};
    };
    const Quantiles median = of("p50", 0.5), tail = of("p99", 0.99);
    if (median.native.value < kNothingToGain * median.alone.value && !tail.costs())
        return {Gain::kNothingToGain, nothing_to_gain(sharing, median, tail)};
    std::string gains, may;
    bool longer = false;
    for (const Quantiles* each : {&median, &tail}) {
        if (each->shorter()) gains = comma(gains, change(*each, sharing.way));
        if (each->may_be_shorter()) may = comma(may, change(*each, sharing.way));
        longer = longer || each->longer();
    }
    if (longer) return {Gain::kNoGain, no_gain(sharing, median, tail)};
    if (sharing.kept && *sharing.kept < kLeastKept && !(gains.empty() && may.empty()))
        return {Gain::kNoGain, "the other program keeps " + part_text(*sharing.kept) + " of " + sharing.kept_of +
                                   ", and at least " + part_text(kLeastKept) + " are promised: the urgent program's " +
                                   comma(gains, may)};
    if (!gains.empty()) return {Gain::kGain, "the urgent program's " + gains + victim(sharing)};
    if (!may.empty())
        return {Gain::kNoVerdict,
                "the intervals overlap, so that a gain is not certain (measure for longer): the urgent "
                "program's " +
                    may};
    return {Gain::kNoGain, no_gain(sharing, median, tail)};
}

}  // namespace xsched::cli
