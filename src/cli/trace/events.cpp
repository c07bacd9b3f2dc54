#include "cli/trace/events.h"

#include "cli/trace/maker.h"

namespace xsched::cli {

TraceEvents trace_events(const Traced& traced) {
    TraceMaker maker(traced);
    add_programs(maker);
    add_queues(maker);
    add_devices(maker);
    add_orders(maker);
    return maker.finish();
}

}  // namespace xsched::cli
