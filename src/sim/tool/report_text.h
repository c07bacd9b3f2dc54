// Formats the results of runs: as tables for people, and as JSON for programs. Any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "sim/results.h"

namespace xsched::sim::tool {

std::string report_text(const Workload& workload, const std::vector<Report>& reports);
nlohmann::json report_json(const Workload& workload, const std::vector<Report>& reports);

}  // namespace xsched::sim::tool
