// Which device a program uses, as a number that is equal in every process and on every platform.
#pragma once

#include <cstddef>

#include "platform/levelzero/hal/api.h"
#include "xsched/types.h"

namespace xsched::levelzero {

struct Identity {
    XDevice device = 0;
    char name[64] = {};
    bool is_npu = false;
    bool is_gpu = false;
};

// Returns the device's name and number: XDeviceType in the upper half, and in the lower half the PCI address if the
// driver tells it, otherwise a hash of the device's UUID.
Identity identify(const ZeApi& api, ze_device_handle_t device);

}  // namespace xsched::levelzero
