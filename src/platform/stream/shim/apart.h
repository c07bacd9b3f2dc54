// Tells which scheduled streams have their hardware queue to themselves, so that it can be stopped without stopping
// others. For platforms with kSharesHardware. Any thread.
#pragma once

namespace xsched::stream {

// Tells each scheduled stream's XQueue whether it has its hardware queue to itself. Call when streams' hardware queues
// change.
void tell_who_is_apart();

}  // namespace xsched::stream
