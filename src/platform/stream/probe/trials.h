// The trials of platforms whose queues are streams, using the platform's calls.h. See probe/trial.h.
#pragma once

#include "probe/trial.h"

namespace xsched::probe {

Json try_gate(const Settings& settings);
Json try_sharing(const Settings& settings);
Json try_standing(const Settings& settings);
Json try_routes(const Settings& settings);

}  // namespace xsched::probe
