// Libraries of the program that move data to and from the device's memory without a call of CUDA (GPUDirect): the
// device's own addresses are known to a network card or a disk then.
#pragma once

namespace xsched::cuda {

// Returns why memory must stay where it is, as a part of a sentence; nullptr: no such library is loaded. Takes no lock
// of the dynamic linker. Takes as long as a read of /proc/self/maps.
const char* library_that_transfers();

}  // namespace xsched::cuda
