// xcli report: what XSched would do for one's own programs, as a page. The measuring is done by Python
// (bench/own_programs.py, installed in DATADIR/xsched/report). The main thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::cli {

struct ReportWords {
    std::string urgent;      // commands, as one would type them
    std::string background;  // empty: the urgent one again
    std::string out = "report.html";
    std::string time = "1m";
    int64_t rounds = 3;
};

// Becomes the measuring program. Throws Failure if there is nothing to measure, or nothing to measure it with.
// `program`: what came behind "--"; it is the urgent program then.
int report_on_programs(const ReportWords& words, const std::vector<std::string>& program, bool json);

}  // namespace xsched::cli
