// The debugger interface of the emulated KFD (kfd_ioctl_dbg_trap), with which a process that debugs itself suspends
// its queues. Any thread.
#pragma once

#include "emulator.h"

namespace kfd {

Answer enable_runtime(const kfd_ioctl_runtime_enable_args& asked);
Answer debug(kfd_ioctl_dbg_trap_args& asked);

}  // namespace kfd
