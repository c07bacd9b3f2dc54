// Which device a number means, as a number that is equal in every process for one physical device. Any thread.
#pragma once

#include "platform/hip/hal/vendor.h"

namespace xsched::hip {

// kDeviceTypeGPU in the upper half; in the lower the PCI address as in OpenCL's device_identity: dddd:bb:dd.0, 16 bits
// of the domain, 8 of the bus, 5 of the device.
XDevice device_identity(const HipApi& api, int device);

}  // namespace xsched::hip
