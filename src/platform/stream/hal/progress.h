// XqGateOps' calls of these names, where the platform can read in memory how far a stream is (kReadsProgress). Neither
// calls the driver.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "xsched/types.h"

namespace xsched::stream {

XResult note_place(HwQueue& hwq, uint32_t value);
XResult look(HwQueue& hwq, uint32_t* complete, uint32_t* begun);

}  // namespace xsched::stream
