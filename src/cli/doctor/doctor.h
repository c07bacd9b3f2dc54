// xcli doctor: what this machine offers to XSched, platform by platform and level by level, with the reason for every
// "no". It looks at files and asks the kernel; no vendor's library is loaded and no device is used.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor/machine.h"
#include "cli/installation.h"

namespace xsched::cli {

enum class Answer { kYes, kNo, kUnknown };
inline const char* word(Answer answer) {
    return answer == Answer::kYes ? "yes" : answer == Answer::kNo ? "no" : "unknown";
}

struct Finding {
    std::string what;
    Answer answer;
    std::string detail;  // what was found, or why not and what to do
};

// Preempt levels, 1 first.
struct Platform {
    std::string name;
    std::vector<Finding> findings;
    std::vector<Finding> levels;
};

Platform look_at_xsched(const Installation& installation);
Platform look_at_system();
// Each platform's own (src/platform/<p>/doctor.cpp).
#define PLATFORM(name, ...) Platform look_at_##name(const Machine& machine, const Installation& installation);
#include "platforms.inc"
// Notes more about the machine for `--run`, without a "yes" or "no" to a level.
#define PLATFORM(name, ...) std::vector<Finding> settings_of_##name(const Machine& machine);
#include "platforms.inc"

// `root`: see Machine. Returns the exit status, which says nothing about the answers.
int show_doctor(const std::string& root, bool json);

}  // namespace xsched::cli
