#include "cli/doctor/main_job.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace xsched::cli {
namespace {

constexpr const char* kLatency = "latency_us";  // numbers separated by spaces: one line in the saved file
constexpr const char* kRate = "kernels_per_s";

double rate_of(const ChildResult& job) {
    return job.found.contains("victim") ? job.found["victim"].value(kRate, 0.0) : 0.0;
}

Json interval(const Quantile& quantile) {
    Json pair = Json::array();
    for (const std::optional<double>& bound : {quantile.low, quantile.high})
        pair.push_back(bound ? Json(*bound) : Json());
    return pair;
}

void add_victim(Json& all, const Json& round, double rounds_before) {
    const double rate = all.value(kRate, 0.0), more = round.value(kRate, 0.0);
    all[kRate] = (rate * rounds_before + more) / (rounds_before + 1);
    all["exact"] = all.value("exact", false) && round.value("exact", false);
}

Load mean(const Load& all, const Load& round, double before) {
    const auto of = [&](double one, double other) { return (one * before + other) / (before + 1); };
    return {of(all.others, round.others), of(all.stolen, round.stolen), of(all.idle, round.idle)};
}

}  // namespace

std::vector<double> bursts_ms(const Json& program) {
    std::istringstream words(program.is_object() ? program.value(kLatency, "") : "");
    std::vector<double> bursts;
    for (double us = 0; words >> us;) bursts.push_back(us / 1e3);
    return bursts;
}

void add_quantiles(Json& found) {
    if (!found.is_structured()) return;
    for (Json& inner : found) add_quantiles(inner);
    if (!found.is_object() || !found.contains(kLatency)) return;
    const std::vector<double> bursts = bursts_ms(found);
    found["bursts"] = bursts.size();
    for (const auto& [name, part] : {std::pair{"p50", 0.5}, {"p99", 0.99}}) {
        const Quantile quantile = bursts.empty() ? Quantile{} : quantile_of(bursts, part);
        found[std::string(name) + "_ms"] = quantile.value;
        found[std::string(name) + "_interval_ms"] = interval(quantile);
    }
    found["max_ms"] = bursts.empty() ? 0 : *std::max_element(bursts.begin(), bursts.end());
}

void add_round(ChildResult& all, const ChildResult& round) {
    if (all.ending == Ending::kNotRun || round.ending != Ending::kDone) {
        all = round;
        return;
    }
    const double before = all.rounds;
    Json& urgent = all.found["urgent"];
    const Json& more = round.found["urgent"];
    urgent[kLatency] = urgent.value(kLatency, "") + " " + more.value(kLatency, "");
    urgent["exact"] = urgent.value("exact", false) && more.value("exact", false);
    if (all.found.contains("victim")) add_victim(all.found["victim"], round.found["victim"], before);
    all.load = mean(all.load, round.load, before);
    all.seconds += round.seconds;
    ++all.rounds;
    add_quantiles(all.found);
}

Judged judge_job(const ChildResult& alone, const ChildResult& native, const ChildResult& level) {
    Sharing sharing;
    sharing.way = "with it";
    sharing.alone_ms = bursts_ms(alone.found.value("urgent", Json()));
    sharing.native_ms = bursts_ms(native.found.value("urgent", Json()));
    sharing.shared_ms = bursts_ms(level.found.value("urgent", Json()));
    if (rate_of(native) > 0) sharing.kept = rate_of(level) / rate_of(native);
    for (const ChildResult* each : {&alone, &native, &level})
        if (!why_disturbed(each->load).empty()) sharing.load = each->load;
    return judge_gain(sharing);
}

std::vector<std::string> job_headings() {
    return {"MAIN JOB", ">BURSTS", ">P50 (95 %)", ">P99 (95 %)", ">OTHER'S KERNELS/S", ">OTHERS' CPU"};
}

std::string job_legend() {
    char least[32];
    snprintf(least, sizeof least, "%.0f %%", 100 * kLeastKept);
    return std::string(
               "P50, P99: the urgent program's bursts, best as short as alone. OTHER'S KERNELS/S: what the "
               "program beside it does meanwhile, best as much as natively; a level that leaves it less than ") +
           least +
           " of that is not advised. More than natively (OpenCL, level 2): the guard may let the compiler make a "
           "faster kernel.\n";
}

std::vector<std::string> job_row(const std::string& name, const ChildResult& result) {
    const std::vector<double> bursts =
        bursts_ms(result.found.is_object() ? result.found.value("urgent", Json()) : Json());
    const auto text = [&](double part) { return bursts.empty() ? "-" : text_of(quantile_of(bursts, part)); };
    char rate[32], others[32];
    snprintf(rate, sizeof rate, "%.4g", rate_of(result));
    snprintf(others, sizeof others, "%.0f %%", 100 * (result.load.others + result.load.stolen));
    return {name, std::to_string(bursts.size()), text(0.5), text(0.99), rate_of(result) > 0 ? rate : "-", others};
}

}  // namespace xsched::cli
