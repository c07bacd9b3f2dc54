// The trials that only HIP has. See probe/trial.h.
#pragma once

#include "probe/trial.h"

namespace xsched::probe {

Json try_runtime(const Settings& settings);
Json try_way(const Settings& settings);

}  // namespace xsched::probe
