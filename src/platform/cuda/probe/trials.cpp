// The questions that probe_cuda answers.
#include "platform/stream/probe/trials.h"

namespace xsched::probe {

const Trial kTrials[] = {
    {"device", try_device},     {"routes", try_routes},         {"gate", try_gate},   {"sharing", try_sharing},
    {"standing", try_standing}, {"suspension", try_suspension}, {"job", try_job},     {"urgent", run_urgent},
    {"victim", run_victim},     {"switch", try_switch},         {"other", run_other}, {nullptr, nullptr},
};

}  // namespace xsched::probe
