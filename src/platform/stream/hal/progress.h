// The operations note_place and look of XqGateOps, for platforms that can read a stream's progress in memory
// (kReadsProgress). Neither calls the driver.
#pragma once

#include "platform/stream/hal/hwqueue_state.h"
#include "xsched/types.h"

namespace xsched::stream {

XResult note_place(HwQueue& hwq, uint32_t value);
XResult look(HwQueue& hwq, uint32_t* complete, uint32_t* begun);

}  // namespace xsched::stream
