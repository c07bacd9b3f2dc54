// The controller's word on a job. A job's own environment is its user's, who may write anything there.
#pragma once

#include <string>

namespace xsched::slurm {

// Returns the value of NAME in the line of `scontrol show job --oneliner`; "": it has none.
std::string value_in(const std::string& line, const std::string& name);

}  // namespace xsched::slurm
