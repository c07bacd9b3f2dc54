// The hints that a policy reads, and settings that it ignores. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/hints.h"
#include "config/configuration.h"

namespace xsched::config {

// Returns the policies that read the hint, if this one does not. Nothing: it reads the hint, or it is not of this
// build.
std::optional<std::vector<std::string>> read_by_others(const std::string& policy, const base::HintInfo& hint);

// Returns whether the policy is one of this build. The hints that any other one reads are not known.
bool is_of_this_build(const std::string& policy);
// Returns whether the policy's decisions depend on the hint. Hints that count under every policy need not be among
// these.
bool decides_by(const std::string& policy, base::HintId hint);
// Returns whether the value leaves it to the policy who runs: not one that takes the hint back, nor the priority
// that never runs.
bool says_who_runs(const base::HintInfo& hint, int64_t value);
// Returns the hint that a policy has to read so that the given one changes who runs: priority for background, which
// lowers it; otherwise the hint itself.
const base::HintInfo& works_by(const base::HintInfo& hint);
// Returns the policies under which the value changes who runs, if it does not under this one.
std::optional<std::vector<std::string>> unused_under(const std::string& policy, const base::HintInfo& hint,
                                                     int64_t value);

// Returns whether a higher priority makes a program come first under the policy, or advice that does, with PID for its
// process (PolicyInfo::sooner). Of a policy that is not of this build, the advice names no hint.
struct Sooner {
    bool by_priority = true;
    std::string advice;  // empty: none
};
Sooner sooner_under(const std::string& policy);

// A setting that does not change who runs under a policy.
struct Ignored {
    std::string place;  // of the rule or limit
    std::string hint;
    std::vector<std::string> used_by;
};
// Returns the hints of rules, and shares, that do not change who runs under the policy.
std::vector<Ignored> ignored_under(const std::string& policy, const Configuration& configuration);
// Returns the hints that do not change who runs under the policy, of those that rules give one program.
std::vector<Ignored> ignored_under(const std::string& policy, const Given& given);

}  // namespace xsched::config
