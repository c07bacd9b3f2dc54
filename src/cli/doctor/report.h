// The report that xcli doctor --run prints and saves.
#pragma once

#include "cli/doctor/asked.h"
#include "cli/doctor/verdicts.h"

namespace xsched::cli {

// Returns findings about files and settings from the platform's part of doctor.
std::vector<Finding> findings_of(const std::string& platform, const Machine& machine, const Installation& installation);
// Returns the report in the form of the test plan's results (tests/acceptance); `metrics` has every step's own result.
Json report_of(const Evidence& evidence, const std::vector<Verdict>& verdicts);
// Prints the report, and saves it if a file was asked for. Throws Failure if that cannot be written.
void show_run(const DoctorRun& asked, const Evidence& evidence, const std::vector<Verdict>& verdicts);

}  // namespace xsched::cli
