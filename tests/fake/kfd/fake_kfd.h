// The fake kernel driver of AMD's (libfakekfd.so): queues as far as level 3 needs them, in the process that makes them.
// Preloaded behind the shim; it takes the C library's ioctl and passes on what is not about its own file. The fake HIP
// runtime makes its contexts' queues here and runs nothing on those that are suspended, also in the middle of a kernel.
//
// As the real one it answers its owner alone: not fork's child. A debugger must have attached before queues can be
// suspended, and must have seen those that are new. A suspended queue cannot be destroyed (the real one waits; this one
// says EBUSY).
//
// Environment:
//   FAKE_KFD=1                       there is such a driver
//   FAKE_KFD_NO_RUNTIME=1            the HIP runtime's stand-in does not tell it of itself: no debugger (EPERM)
//   FAKE_KFD_COST_US=n               each round of queues on or off the hardware lasts so long, and nothing runs
//   meanwhile; FAKE_KFD_SHARED=path             nor does anything of the processes that name this file (any; it is
//   made) FAKE_KFD_EFAULT=n                the nth UPDATE_QUEUE fails with EFAULT and leaves a lock held: another call
//   about
//                                    queues would stand for ever, and ends the process instead
//   FAKE_KFD_EVICT_US=n              about so often all queues are off the hardware for a millisecond
//   FAKE_KFD_REFUSE=number:errno[,...]  calls (their number, hexadecimal) that fail (errno, decimal)
//   FAKE_KFD_IDLE_RESUME=n           the debugger's nth call to resume queues does nothing, and returns 0
//   FAKE_KFD_UPDATE_ERRORS=n         the first n calls of UPDATE_QUEUE that would let a queue go on fail with EIO
//   FAKE_KFD_MISSES=n                the debugger's first n calls to suspend queues do not find the last one
//   FAKE_KFD_NO_EFFECT=1             queues are suspended for show, and masks and priorities are
//   FAKE_KFD_UNITS=n                 the device has n compute units (at most 64) and runs kernels side by side on them,
//                                    also those of processes that name one FAKE_KFD_SHARED: each unit is divided
//                                    equally among the kernels whose queues may use it and have the highest priority
//                                    of these, so that one alone with a mask of k units takes n/k times as long, and
//                                    one without any hangs
#pragma once

#include <sys/ioctl.h>

#include <atomic>
#include <cstdint>

// The ioctl with which tools ask KFD for its version: same layout as kfd_ioctl_get_version_args, and its number.
struct FakeKfdVersion {
    uint32_t major, minor;
};
inline constexpr unsigned long kFakeKfdGetVersion = _IOR('K', 0x01, FakeKfdVersion);
inline constexpr uint32_t kFakeKfdMinor = 14;

extern "C" {
// Returns the descriptor of an opened /dev/kfd; -1: there is none. Always the same file.
int fake_kfd_open(void);
// Returns a word that is not 0 while this queue is suspended; nullptr: there is no such queue.
const std::atomic<uint32_t>* fake_kfd_stopped(uint32_t queue);
// Return how many queues of this type exist, and how many of them are suspended (standing).
unsigned fake_kfd_queues(uint32_t type);
unsigned fake_kfd_standing(uint32_t type);
// Returns the first 64 bits of the queue's mask of compute units; all bits if none was ever set.
uint64_t fake_kfd_mask(uint32_t queue);
// The queue's priority in the driver; UINT32_MAX: there is no such queue.
uint32_t fake_kfd_priority(uint32_t queue);
// Returns how many queues of this type have a mask that excludes some compute units.
unsigned fake_kfd_masked(uint32_t type);
// With FAKE_KFD_UNITS: fake_kfd_run_begins() notes that a kernel of the queue begins to run, and returns its place;
// -1: there are no units. fake_kfd_speed() returns its present part of the whole device's speed, 0 while it is off
// the device (`runs` false). fake_kfd_run_ended() notes that the kernel has ended.
int fake_kfd_run_begins(uint32_t queue);
double fake_kfd_speed(int place, bool runs);
void fake_kfd_run_ended(int place);
// Returns whether a round is under way.
bool fake_kfd_halted(void);
// Return how many calls with this number succeeded, and how many calls came from other processes than the owner.
unsigned fake_kfd_calls(unsigned number);
unsigned fake_kfd_strangers(void);
}
