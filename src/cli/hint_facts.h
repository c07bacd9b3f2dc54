// The hints of a program or queue in words. Pure.
#pragma once

#include <initializer_list>
#include <string>

#include "base/hints.h"
#include "cli/server_link.h"

namespace xsched::cli {

// Returns "deadline" for "deadline_us", and "p99 target" for the latency target.
std::string hint_name(const base::HintInfo& hint);
// Returns the hints that the policy in force reads: "utilization 25 %, timeslice 5.0 ms". `entry`: a queue or program
// of the server's answer. `without`: those that are shown elsewhere.
std::string hints_text(const Json& entry, std::initializer_list<const char*> without);
// Returns the hints that were given and have no effect, with the reason: "without effect: p99 target 5.0 ms (policy HPF
// does not read it)". Empty: there are none. A background that does not count for who runs is among them.
std::string ignored_text(const Json& entry, const std::string& policy);
// Says that background has only its other effects under a policy that does not read priority.
std::string no_less_urgent(const std::string& policy);
// Returns the latency target of a program, whether the policy in force reads it or not: "p99 target 1.3x". Empty:
// none.
std::string target_text(const Json& program);
// Returns the object with the "share" and "limit" that count for a queue or program: those of its user or control group
// together, if these have any, otherwise its own.
const Json& share_that_counts(const Json& entry);
// Returns the percentage of the device that counts: the share; under a policy that reads utilizations alone, that one.
// 0: none is set.
int64_t wanted_percent(const Json& entry, const std::string& policy);

}  // namespace xsched::cli
