// The findings of the steps "job ..." of xcli doctor --run: rounds become one result, bursts become quantiles, and
// levels are compared with native sharing. Pure. Any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/gain.h"
#include "cli/doctor/guarded_child.h"

namespace xsched::cli {

// The bursts of a program, in the order of time; empty: its finding has none.
std::vector<double> bursts_ms(const Json& program);

// Adds bursts, p50_ms and p99_ms with their intervals beside every "latency_us" in what a step found.
void add_quantiles(Json& found);

// Adds one more round of the same job. A round that did not end well decides.
void add_round(ChildResult& all, const ChildResult& round);

// All three are done.
Judged judge_job(const ChildResult& alone, const ChildResult& native, const ChildResult& level);

// Rows of a table: burst count, p50 and p99 with intervals, the victim's rate.
std::vector<std::string> job_headings();
std::vector<std::string> job_row(const std::string& name, const ChildResult& result);

}  // namespace xsched::cli
