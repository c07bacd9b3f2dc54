// Evaluates the steps "job ..." of xcli doctor --run: joins rounds, turns bursts into quantiles, and compares levels
// with native sharing. Pure. Any thread.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/gain.h"
#include "cli/doctor/guarded_child.h"

namespace xsched::cli {

// Returns a program's bursts in order of time; none if its result has none.
std::vector<double> bursts_ms(const Json& program);

// Adds bursts, p50_ms and p99_ms with their intervals beside every "latency_us" in a step's result.
void add_quantiles(Json& found);

// Adds another round of the same job. A round that failed replaces the result.
void add_round(ChildResult& all, const ChildResult& round);

// Judges from three completed runs of the main job whether the level helps the urgent program: the program alone, with
// the victim natively, and with the victim at that level.
Judged judge_job(const ChildResult& alone, const ChildResult& native, const ChildResult& level);

// Return rows of a table: number of bursts, p50 and p99 with intervals, the victim's rate.
std::vector<std::string> job_headings();
// Returns a line that says what the columns mean, and what is good.
std::string job_legend();
std::vector<std::string> job_row(const std::string& name, const ChildResult& result);

}  // namespace xsched::cli
