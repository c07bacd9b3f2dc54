// Learns of the HSA runtime's queues from its table of functions, which since ROCm 6.2 it gives to a library that
// exports rocprofiler_set_api_table. Before that, the shim exports the functions themselves. Every call passes
// unchanged; only its result is looked at (platform/hip/hal/hsa_observer.h).
#pragma once

namespace xsched::hip {

// Puts hooks into HSA's table of functions (the one of name "hsa"). Call before the runtime has made any queue.
void hook_hsa_table(void* table);

}  // namespace xsched::hip
