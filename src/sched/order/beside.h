// Programs that ask for it (the hint `side_by_side`) run beside a more urgent one that asks as well, as long as that
// hardly slows it down: found out by trial (pattern/beside_trial.h). That pays where the device can run
// kernels of both side by side: in one context of MPS, or on a CPU. Not thread-safe; no allocation.
#pragma once

#include <cstdint>

#include "sched/state/pass.h"

namespace xsched::sched {

// Changes the policy's answers before they are judged: lets victims run beside a more urgent unit if both ask for it
// and trials have shown that it costs little.
void run_beside(Pass& pass);
// Notes that another burst of a unit may have begun.
void see_burst_beside(Pass& pass, uint32_t place);

}  // namespace xsched::sched
