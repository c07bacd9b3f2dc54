// The variables of each preempt level (verdicts.h).
#include "cli/doctor/verdicts.h"

namespace xsched::cli {

Variables environment_for(const Evidence& evidence, int level) {
    Variables variables{{"XSCHED_AUTO_XQUEUE_LEVEL", std::to_string(level)}};
    if (level == 2 && evidence.platform == "ascend") variables["XSCHED_ASCEND_PAUSE"] = "1";
    if (level < 3) return variables;
    variables["XSCHED_INTERRUPT"] = "1";
    if (const std::string way = best_way(evidence); !way.empty()) variables["XSCHED_HIP_INTERRUPT"] = way;
    return variables;
}

}  // namespace xsched::cli
