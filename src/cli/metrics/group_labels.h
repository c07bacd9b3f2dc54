// The container and the job that a control group's path names. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xsched::cli {

using Labels = std::vector<std::pair<std::string, std::string>>;  // names (labels.def) and values

// Returns those of pod_uid, container_id and slurm_job that the path names. A user may name groups of their own freely.
// A pod or a job is therefore read only where root makes the groups, and of nested containers the outermost counts.
// All values are short: at most 64 hexadecimal digits.
Labels group_labels(const std::string& path);

}  // namespace xsched::cli
