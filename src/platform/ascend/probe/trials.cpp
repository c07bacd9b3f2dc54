// The questions that probe_ascend answers.
#include "probe/trial.h"

namespace xsched::probe {

Json try_pause(const Settings& settings);  // pause.cpp

const Trial kTrials[] = {
    {"device", try_device}, {"pause", try_pause},   {"suspension", try_suspension},
    {"job", try_job},       {"urgent", run_urgent}, {"victim", run_victim},
    {nullptr, nullptr},
};

}  // namespace xsched::probe
