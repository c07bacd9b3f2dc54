// The programs of a device as a prediction needs them: the work that is known of each, and what each is given. Made of
// the server's answers, or of a file with the same keys. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hints.h"
#include "base/work_parts.h"
#include "cli/server_link.h"

namespace xsched::cli {

// The hint that is promised.
inline constexpr const base::HintInfo& kTargetHint = base::hint_info(base::HintId::slo_p99);

using base::kWorkParts;
using WorkQuantiles = std::array<double, kWorkParts.size()>;  // in microseconds

// Returns the length that `part` of all do not exceed, between two known ones by a straight line.
double quantile_of(const WorkQuantiles& quantiles, double part);

struct KnownWork {
    bool endless = false;
    bool assumed = false;  // that it is endless: its rests were not seen
    WorkQuantiles request_us{};
    WorkQuantiles rest_us{};
    WorkQuantiles burst_count{};  // of a request; 0: not known
    WorkQuantiles pauses_us{};  // of a request, between its bursts, together
    WorkQuantiles command_us{};
};

struct KnownProgram {
    std::string name;
    int64_t pid = 0;  // 0: it does not run yet
    std::optional<KnownWork> work;  // none: nothing is known of it
    std::map<std::string, int64_t> hints;  // by their names in base/hints.def
    int64_t level = 3;

    // Returns the time that 99 of 100 requests may take, in microseconds; 0: it has no target, or no requests of which
    // the length is known.
    double target_us() const;
    bool has_shown_work() const { return work && !work->assumed; }
    bool asks_for_target() const { return hints.contains(kTargetHint.name); }
    // "serve (pid 12)"
    std::string called() const;
};

struct Situation {
    std::string policy;
    std::map<std::string, double> costs_us;  // of the device, by their names in sim/costs.def
    std::vector<KnownProgram> programs;  // the last one is the one to be admitted
    std::optional<int64_t> named_device;  // by the user; none: it is the one in use
    std::vector<std::string> known;  // the programs of which the work is known
};

// The program to be admitted, and where it is to run.
struct Candidate {
    std::string name;
    std::map<std::string, int64_t> hints;
    std::optional<int64_t> device;  // its number in xcli list; none: the one that is in use
};

// Makes the situation of what the server answers to "programs", "habits" and "promises", as one object. Throws Failure
// if several devices are in use and none was named.
Situation situation_of(const Json& answers, const Candidate& candidate);

}  // namespace xsched::cli
