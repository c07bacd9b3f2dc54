// Which device a context is on, as a number that is equal in every process for one physical device. Any thread.
#pragma once

#include "platform/cuda/hal/api.h"
#include "xsched/types.h"

namespace xsched::cuda {

// kDeviceTypeGPU in the upper half; in the lower the PCI address as in OpenCL's device_identity: dddd:bb:dd.0, 16 bits
// of the domain, 8 of the bus, 5 of the device.
XDevice device_identity(const CuApi& api, CUdevice device);

}  // namespace xsched::cuda
