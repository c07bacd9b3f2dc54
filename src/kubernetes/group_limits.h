// The limits that the server has for the control groups of pods. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubernetes/prepared.h"

namespace xsched::kubernetes {

struct GroupLimits {
    int64_t share = 0;  // percent of each device; 0: none
    int64_t limit = 0;  // likewise
    int64_t most_urgent = PRIORITY_MAX;

    bool operator==(const GroupLimits&) const = default;
    // Returns the group's limits as settings for `xcli limit`. A limit that the group no longer has is set to its
    // default.
    std::vector<std::string> settings(const std::string& group) const;
};

// Returns the limits of each group that has a prepared claim. Pods that use one claim together divide its share. A pod
// with several devices has the share of the one of which it has most.
std::map<std::string, GroupLimits> limits_of(const std::map<std::string, Prepared>& claims);

}  // namespace xsched::kubernetes
