// The questions that probe_opencl answers.
#include "probe/trial.h"

namespace xsched::probe {

const Trial kTrials[] = {
    {"device", try_device}, {"suspension", try_suspension}, {"job", try_job},
    {"urgent", run_urgent}, {"victim", run_victim},         {nullptr, nullptr},
};

}  // namespace xsched::probe
