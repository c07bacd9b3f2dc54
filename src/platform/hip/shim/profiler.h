// The profiler behind us. rocprofiler-register hands the runtimes' tables to the first rocprofiler_set_api_table that
// it finds in the process, which is ours, and then opens none: so we open the one that it would have opened.
#pragma once

#include <cstdint>

namespace xsched::hip {

// Passes a table on to the profiler, if the user wants one. Returns its answer, otherwise 0.
int pass_to_profiler(const char* name, uint64_t version, uint64_t instance, void** tables, uint64_t count);

}  // namespace xsched::hip
