// The questions that probe_hip answers.
#include "platform/stream/probe/trials.h"

#include "hip_trials.h"
#include "smi_events.h"

namespace xsched::probe {
namespace {

// Watches events in every trial, and in the programs that it starts.
[[maybe_unused]] const bool watched = (watch_smi_events(), true);

}  // namespace

const Trial kTrials[] = {
    {"runtime", try_runtime}, {"device", try_device},     {"routes", try_routes},         {"gate", try_gate},
    {"sharing", try_sharing}, {"standing", try_standing}, {"suspension", try_suspension}, {"way", try_way},
    {"job", try_job},         {"urgent", run_urgent},     {"victim", run_victim},         {"switch", try_switch},
    {"other", run_other},     {nullptr, nullptr},
};

}  // namespace xsched::probe
