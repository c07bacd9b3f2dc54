// The report that xcli doctor --run prints and saves.
#pragma once

#include "cli/doctor/asked.h"
#include "cli/doctor/verdicts.h"

namespace xsched::cli {

// Files and settings, as the platform's part of doctor finds them.
std::vector<Finding> findings_of(const std::string& platform, const Machine& machine, const Installation& installation);
// In the form of the test plan's results (tests/acceptance), with every step's own in `metrics`.
Json report_of(const Evidence& evidence, const std::vector<Verdict>& verdicts);
// To standard output, and to the file that was asked for. Throws Failure if that cannot be written.
void show_run(const DoctorRun& asked, const Evidence& evidence, const std::vector<Verdict>& verdicts);

}  // namespace xsched::cli
