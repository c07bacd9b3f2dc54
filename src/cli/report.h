// xcli report: shows what XSched would do for the user's own programs, as a page. Python measures it
// (bench/own_programs.py, installed in DATADIR/xsched/report). The main thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::cli {

struct ReportWords {
    std::string urgent;      // commands as typed in a shell
    std::string background;  // empty: the urgent program a second time
    std::string out = "report.html";
    std::string time = "1m";
    int64_t rounds = 3;
};

// Becomes the measuring program. Throws Failure if there is nothing to measure, or the measuring program is missing.
// `program`: the words behind "--", which are the urgent program.
int report_on_programs(const ReportWords& words, const std::vector<std::string>& program, bool json);

// Becomes the demo: the main job on this machine's device. `out`: the page that it writes. Throws Failure for `json`,
// since the demo writes its numbers to a file.
int run_demo(const std::string& out, bool json);

}  // namespace xsched::cli
