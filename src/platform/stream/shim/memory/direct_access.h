// Kernel drivers by which network cards, disks and processors use the device's memory without a call of CUDA
// (GPUDirect): they know the device's own addresses. That their libraries are loaded says nothing: PyTorch is linked to
// libcufile, and NCCL looks for libibverbs, on machines without any such hardware. That a file is mapped where the
// hardware is used is an inference from the drivers' sources; it was not tried on such hardware.
#pragma once

namespace xsched::stream::memory {

// Returns why memory must stay where it is, as a part of a sentence; nullptr: the program has mapped no such driver's
// file. Takes as long as a read of /proc/self/maps.
const char* direct_access();

}  // namespace xsched::stream::memory
