#include "cli/admit/workload_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/hints.h"

namespace xsched::cli {
namespace {

constexpr int kCells = 100;  // a p99 needs steps of a percent
// Judgement: of so many kernels a request is as finely divided as the scheduler's gates need.
constexpr double kMostKernels = 100;
constexpr double kDivided = 4;  // judgement: with fewer commands a request counts as one kernel
// Judgement: 2000 requests have 20 slower than the p99 (with 400, the p99 was off by up to 1.3 % where requests differ
// in length: docs/ADMIT.md). The time is bounded so that the simulation takes some seconds: xsim has 2 to 8 million
// events a second (docs/xsim.md).
constexpr double kRequests = 2000;
constexpr double kLeastUs = 2e6;
constexpr double kMostUs = 120e6;
constexpr double kMostCommands = 2e6;

std::string decimal(double value) {
    char text[32];
    snprintf(text, sizeof(text), "%.1f", value);
    return text;
}

// Returns the number that `part` of all do not exceed. The longest of all is a single one, which may have waited for
// something else. So the last percent rises as before it, up to the longest.
double usual_at(const WorkQuantiles& quantiles, double part) {
    const auto last = static_cast<double>(kCells - 1) / kCells;
    if (part <= last) return quantile_of(quantiles, part);
    const double rise = quantile_of(quantiles, last) - quantile_of(quantiles, last - (part - last));
    return std::min(quantile_of(quantiles, last) + rise, quantiles.back());
}

// Returns the quantiles at equal distances.
std::string list_of(const WorkQuantiles& quantiles, double least) {
    std::string text;
    for (int i = 0; i <= kCells; ++i)
        text += (i == 0 ? "[" : ", ") + decimal(std::max(usual_at(quantiles, static_cast<double>(i) / kCells), least));
    return text + "]";
}

double mean_of(const WorkQuantiles& quantiles) {
    double sum = 0;
    for (int i = 0; i < kCells; ++i) sum += quantile_of(quantiles, (i + 0.5) / kCells);
    return sum / kCells;
}

// The kernels that stand for a request's commands: their length and number, by its median.
struct Kernels {
    double length_us = 1;
    double count = 1;
};

Kernels kernels_of(const KnownWork& work) {
    const double request_us = std::max(quantile_of(work.request_us, 0.5), 1.0);
    const double command_us = std::max({quantile_of(work.command_us, 0.5), request_us / kMostKernels, 1.0});
    if (work.endless) return {std::max(mean_of(work.command_us), 1.0), 1};
    if (request_us / command_us < kDivided) return {request_us, 1};
    return {command_us, request_us / command_us};
}

double cycle_us(const KnownWork& work) {
    if (work.endless) return std::max(mean_of(work.command_us), 1.0);
    return std::max(mean_of(work.request_us) + mean_of(work.rest_us), 1.0);
}

double duration_us(const Situation& situation) {
    double wanted_us = kLeastUs;
    double commands_per_us = 0;
    for (const KnownProgram& program : situation.programs) {
        if (program.target_us() > 0) wanted_us = std::max(wanted_us, kRequests * cycle_us(*program.work));
        commands_per_us += kernels_of(*program.work).count / cycle_us(*program.work);
    }
    return std::clamp(std::min(wanted_us, kMostCommands / commands_per_us), kLeastUs, kMostUs);
}

std::string hints_of(const KnownProgram& program) {
    std::string text;
    for (const base::HintInfo& hint : base::kHints) {
        const auto found = program.hints.find(hint.name);
        if (found == program.hints.end() || hint.kind == base::HintKind::kTime) continue;
        if (hint.kind == base::HintKind::kBytes || hint.kind == base::HintKind::kName) continue;  // not of one device
        text += (text.empty() ? "" : ", ") + std::string(hint.name) + " = " + std::to_string(found->second);
    }
    return text;
}

std::string burst_of(const KnownWork& work) {
    const Kernels kernels = kernels_of(work);
    if (work.endless)
        return "arrival = { kind = \"stream\" }\nburst = { kernel_us = " + list_of(work.command_us, 1) + " }\n";
    WorkQuantiles counts = work.burst_count;  // of kernels
    if (kernels.count > 1)
        for (size_t i = 0; i < counts.size(); ++i)
            counts[i] = std::max(counts[i], work.request_us[i] / kernels.length_us);
    return "arrival = { kind = \"closed\", think_us = " + list_of(work.rest_us, 0) +
           " }\nburst = { length_us = " + list_of(work.request_us, 1) + ", kernels = " + list_of(counts, 1) +
           ", waits = " + list_of(work.burst_count, 1) + ", pauses_us = " + list_of(work.pauses_us, 0) + " }\n";
}

}  // namespace

std::string workload_text(const Situation& situation) {
    // Servers foresee bursts (XSCHED_DEBUG=foresight), unlike a workload that does not ask for it.
    std::string text =
        "foresight = 1\npolicy = \"" + situation.policy + "\"\nduration_us = " + decimal(duration_us(situation)) + "\n";
    if (!situation.costs_us.empty()) {
        text += "[device]\n";
        for (const auto& [name, cost] : situation.costs_us) text += name + " = " + decimal(cost) + "\n";
    }
    for (size_t i = 0; i < situation.programs.size(); ++i) {
        const KnownProgram& program = situation.programs[i];
        text += "[[program]]\nname = \"" + std::to_string(i) + "\"\nlevel = " + std::to_string(program.level) + "\n";
        text += "hints = { " + hints_of(program) + " }\n" + burst_of(*program.work);
    }
    return text;
}

}  // namespace xsched::cli
