// An emulated kernel driver (KFD) below AMD's real HSA and HIP libraries, preloaded as libkfdemulator.so: enough of
// /dev/kfd for memory, events, queues and debugging. It executes no GPU instruction. One thread for each queue takes
// the packets, and runs kernels by their names (kernels.h). The emulator serves tests alone, so it may stop the
// process at a request that it does not know.
//
// The ioctls are those of Linux's own header. The effect of a call follows Linux 6.12 (drivers/gpu/drm/amd/amdkfd).
//
// Environment:
//   KFD_EMULATOR_GPUS=n       GPUs; 1 if it is not set. The kernel's files must have as many (topology.py)
//   KFD_EMULATOR_DEVICE=path  a file, made if it is not there, that processes share: kernels of all those that name it
//                             take turns on each GPU, as on one that each of them fills
//   KFD_EMULATOR_MEMORY=n     bytes of the GPU's memory, for all that name one KFD_EMULATOR_DEVICE; 190 GiB
//   KFD_EMULATOR_FAULTS=...   calls that fail on purpose (faults.h)
//   KFD_EMULATOR_PAUSE_US=n   a queue stands still for up to so long before one in 16 of its packets
//   KFD_EMULATOR_LOG=n        1: calls about queues; 2: all calls, and kernels
#pragma once

#include <cstdint>

#define __user
#include <linux/kfd_ioctl.h>

namespace kfd {

inline constexpr int kMostGpus = 16;
inline constexpr uint32_t kFirstGpuId = 4242;

int gpus();
int pause_us();
// -1: there is no such GPU.
int gpu_numbered(uint32_t gpu_id);

// The answer to a call: 0 or more, or -errno.
using Answer = int;

int64_t now_ns();
// Waits, with little use of a processor.
void wait_ns(int64_t ns);

[[gnu::format(printf, 2, 3)]] void say(int level, const char* format, ...);
// Says what is wrong, and ends the process.
[[noreturn, gnu::format(printf, 1, 2)]] void give_up(const char* format, ...);

}  // namespace kfd
