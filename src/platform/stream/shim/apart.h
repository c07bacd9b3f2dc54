// Which scheduled streams have their hardware queue to themselves. For platforms with kSharesHardware. Any thread.
#pragma once

namespace xsched::stream {

// Something about which queues streams use has changed: tells each scheduled stream's XQueue whether it has its
// hardware queue to itself.
void tell_who_is_apart();

}  // namespace xsched::stream
