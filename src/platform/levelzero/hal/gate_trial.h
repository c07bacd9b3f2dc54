// Tries a gate on a queue of our own before any of the program's work stands behind one: work behind a closed gate must
// wait, and a store of the host must open it. Once for each device. On a thread of the program's, at a queue's first
// use.
#pragma once

#include "platform/levelzero/hal/hal_abi.h"

namespace xsched::levelzero {

// Returns whether gates work on the queue's device. If they do not, the log says why, once. The first call takes about
// a millisecond, and 100 ms if a gate does not open.
bool gates_work(const ZeApi& api, const XzeQueue& queue);

}  // namespace xsched::levelzero
