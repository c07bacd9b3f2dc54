// How the HSA runtime's queues come to be known: by its table of functions, which it hands to whoever exports
// rocprofiler_set_api_table (from ROCm 6.2 on). Before that its exported functions tell, which the shim exports as
// well. Every call goes on as it is; only its result is looked at (platform/hip/hal/hsa_observer.h).
#pragma once

namespace xsched::hip {

// The table of name "hsa". Before the runtime has made any queue.
void hook_hsa_table(void* table);

}  // namespace xsched::hip
