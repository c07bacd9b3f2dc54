// The NPU's part of the stand-in (npu.cpp).
#pragma once

#include "fake/levelzero/fake_ze.h"

namespace fake {

// Creates a queue in the band of this priority in the NPU's kernel driver. Returns false if that refuses it.
bool create_on_npu(ze_command_queue_priority_t priority);

}  // namespace fake
