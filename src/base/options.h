// The environment, read once per process at the first accelerator call (so that os.environ set before
// `import torch` counts). A value that is not understood gives one WARN line per process and its
// default.
#pragma once

#include <cstdint>

#include "base/hints.h"

namespace xsched::base {

struct Options : Hints {
#define XSCHED_OPTION_TEXT(field, variable, fallback, help) const char* field = fallback;
#define XSCHED_OPTION_INT(field, variable, fallback, min, max, shown, help) int64_t field = fallback;
#define XSCHED_DEBUG_INT(field, key, former, fallback, min, max, help) int64_t field = fallback;
#include "base/options.def"
#undef XSCHED_OPTION_TEXT
#undef XSCHED_OPTION_INT
#undef XSCHED_DEBUG_INT

    XSchedulerType scheduler_type = kSchedulerGlobal;  // derived from `scheduler` and `policy`
    bool auto_xqueue_on = true;
    const char* policy_name = "HPF";  // name given as `policy`, or the default
    uint32_t told_hints = 0;  // a bit for each HintId that the environment has a value for
};

// The process's options. The first call reads the environment; any thread.
const Options& options();
// Reads the environment again (for tests; a forked child keeps its parent's options).
Options read_options();

struct OptionInfo {
    const char* variable;  // name of the variable, or a key of XSCHED_DEBUG
    const char* fallback;
    const char* help;
};
// All options in declaration order, ended by an entry with a null variable.
const OptionInfo* option_infos();
// All keys of XSCHED_DEBUG, ended by an entry with a null variable.
const OptionInfo* debug_infos();

}  // namespace xsched::base
